/**
 * One prompt: its declared arguments, all strings, and its messages.
 */
import type { CallReply, CatalogueEntry } from '@roundhouse/contracts';
import { Call } from './call.js';
import { text } from './content.js';
import type { PromptMethod, PromptOptions, PromptReturn, Variables } from './declarations.js';
import { attempt, type Endpoint } from './endpoint.js';
import { ToolFailure } from './failures.js';
import { toGate } from './gate.js';
import { readObject } from './json-body.js';
import { failed, type Run } from './run.js';

export class PromptEndpoint implements Endpoint {
  readonly answers = 'sealed';
  readonly entry: CatalogueEntry;

  constructor(
    private readonly options: PromptOptions,
    private readonly method: PromptMethod,
  ) {
    const { name, title, description, arguments: declared } = options;
    this.entry = { name, json: JSON.stringify({ name, title, description, arguments: declared }), ...toGate(options) };
  }

  invoke(run: Run): CallReply | Promise<CallReply> {
    const given = readObject(run.request.body);
    const problem = given === undefined ? 'arguments must be an object' : this.problemIn(given);
    if (problem !== undefined) return { kind: 'error', code: 'invalid_params', message: problem };
    return attempt<PromptReturn>(run, {
      name: `Prompt ${this.options.name}`,
      method: () => this.method(given as Variables, new Call(run)),
      encode,
      refuse: (thrown) => (thrown instanceof ToolFailure ? failed(thrown.message.slice(0, 1024)) : undefined),
      fail: () => failed('The prompt failed'),
    });
  }

  private problemIn(given: Record<string, unknown>): string | undefined {
    if (Object.values(given).some((value) => typeof value !== 'string')) return 'prompt arguments must be strings';
    const absent = this.options.arguments?.find(
      ({ name, required }) => required === true && !Object.hasOwn(given, name),
    );
    return absent === undefined ? undefined : `prompt argument ${absent.name} is required`;
  }
}

function encode(returned: PromptReturn): CallReply {
  if (typeof returned === 'string') return encode([{ role: 'user', content: text(returned) }]);
  if (!('messages' in returned)) return { kind: 'complete', body: JSON.stringify({ messages: returned }) };
  const { description, messages, meta } = returned;
  return { kind: 'complete', body: JSON.stringify({ description, messages }), ...(meta && { meta: { ...meta } }) };
}
