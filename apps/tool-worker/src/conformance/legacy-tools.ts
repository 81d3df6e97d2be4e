/** Fixtures of the MCP conformance suite that it calls over the wire of 2025: the same asks, seen by an older client. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  Call,
  Tool,
  boolean,
  form,
  integer,
  manyOf,
  number,
  oneOf,
  rawForm,
  sample,
  string,
  text,
} from '@roundhouse/worker-kit';
import { toText } from './asking-tools.js';

const SAMPLE_TOKENS_MAX = 100;
/** Long enough for the line to end before the result is there. */
const AFTER_CLOSING_MS = 100;
const OPTIONS = ['option1', 'option2', 'option3'] as const;
/** The values that the suite's client chooses of. */
const TITLED = [1, 2, 3].map((number) => ({ value: `value${number}`, title: `Choice ${number}` }));
const NAMED = [1, 2, 3].map((number) => ({ value: `opt${number}`, name: `Option ${number}` }));

@Injectable()
export class LegacyTools {
  @Tool({
    name: 'test_sampling',
    description: 'Asks the model of the client.',
    input: z.object({ prompt: z.string() }),
  })
  async sampling({ prompt }: { prompt: string }, call: Call) {
    const question = sample({ messages: [{ role: 'user', content: text(prompt) }], maxTokens: SAMPLE_TOKENS_MAX });
    return `LLM response: ${toText(await call.ask('model', question))}`;
  }

  @Tool({
    name: 'test_elicitation',
    description: 'Asks for a name and an address.',
    input: z.object({ message: z.string() }),
  })
  async elicitation({ message }: { message: string }, call: Call) {
    const answer = await call.ask(
      'user',
      form(message, { username: string({ title: 'User name' }), email: string({ title: 'Email', format: 'email' }) }),
    );
    return `User response: ${answer.action} ${JSON.stringify(answer.action === 'accept' ? answer.content : {})}`;
  }

  @Tool({ name: 'test_reconnection', description: 'Closes the stream of its call and answers on the next.' })
  async reconnection(_: unknown, call: Call) {
    call.closeStream();
    await sleep(AFTER_CLOSING_MS, undefined, { signal: call.signal });
    return 'The stream was taken up again.';
  }

  @Tool({ name: 'test_elicitation_sep1034_defaults', description: 'Asks with a default on every kind of field.' })
  async defaults(_: unknown, call: Call) {
    const answer = await call.ask(
      'defaults',
      form('Please check the defaults.', {
        name: string({ default: 'John Doe' }),
        age: integer({ default: 30 }),
        score: number({ default: 95.5 }),
        status: oneOf(['active', 'inactive', 'pending'], { default: 'active' }),
        verified: boolean({ default: true }),
      }),
    );
    return `Elicitation completed: ${answer.action}`;
  }

  @Tool({ name: 'test_elicitation_sep1330_enums', description: 'Asks with every kind of select.' })
  async enums(_: unknown, call: Call) {
    const fields = {
      untitledSingle: oneOf(OPTIONS),
      titledSingle: oneOf(TITLED),
      untitledMulti: manyOf(OPTIONS),
      titledMulti: manyOf(TITLED),
    };
    const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
    const legacyEnum = {
      type: 'string',
      enum: NAMED.map(({ value }) => value),
      enumNames: NAMED.map(({ name }) => name),
    };
    const answer = await call.ask(
      'enums',
      rawForm('Please choose.', { type: 'object', properties: { ...properties, legacyEnum } }),
    );
    return `Elicitation completed: ${answer.action}`;
  }
}
