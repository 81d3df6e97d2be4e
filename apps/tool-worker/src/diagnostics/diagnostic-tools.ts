/**
 * Tools to measure and to test with: the smallest call there is, one that takes its time, one that takes it once for each
 * confirmation, one that is confirmed but may run again, and as many entries in the catalogue as one likes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type Type } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, boolean, form } from '@roundhouse/worker-kit';

const WAIT_MS_MAX = 60_000;
/** How often a waiting call says how far it is. */
const WAIT_PROGRESS_MS = 1_000;

const Echo = z.object({ message: z.string() });
const Wait = z.object({ ms: z.int().min(0).max(WAIT_MS_MAX).describe('How long to wait, in milliseconds') });

const WaitApart = Wait.extend({
  retryMs: z.int().min(0).optional().describe('When the client comes back, in milliseconds'),
  asks: z.boolean().default(false).describe('Ask for a confirmation while the client is away'),
});

@Injectable()
export class DiagnosticTools {
  @Tool({ name: 'echo', description: 'Gives back the message.', input: Echo, annotations: { readOnlyHint: true } })
  echo({ message }: z.output<typeof Echo>): string {
    return message;
  }

  @Tool({
    name: 'wait',
    description: 'Waits, reports progress, and stops waiting when the call is cancelled.',
    input: Wait,
    annotations: { readOnlyHint: true },
    timeoutMs: WAIT_MS_MAX + 5_000,
  })
  async wait({ ms }: z.output<typeof Wait>, call: Call): Promise<string> {
    for (let waitedMs = 0; waitedMs < ms; waitedMs += WAIT_PROGRESS_MS) {
      call.progress(waitedMs, ms);
      await sleep(Math.min(WAIT_PROGRESS_MS, ms - waitedMs), undefined, { signal: call.signal });
    }
    call.progress(ms, ms);
    return `Waited ${ms} ms.`;
  }

  @Tool({
    name: 'wait_apart',
    description: 'Lets the client go, waits, and answers when it is back.',
    input: WaitApart,
    annotations: { readOnlyHint: true },
    timeoutMs: WAIT_MS_MAX + 5_000,
  })
  async waitApart({ ms, retryMs, asks }: z.output<typeof WaitApart>, call: Call): Promise<string> {
    call.closeStream(retryMs);
    if (asks) await call.ask('confirm', form(`Wait ${ms} ms?`, { confirm: boolean({ title: 'Wait' }) }));
    return this.wait({ ms }, call);
  }

  @Tool({
    name: 'confirm_wait',
    description: 'Asks first, then waits; waits at most once for each confirmation, whatever becomes of the caller.',
    input: Wait,
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    singleUse: true,
    timeoutMs: WAIT_MS_MAX + 5_000,
  })
  async confirmWait(input: z.output<typeof Wait>, call: Call): Promise<string> {
    const answer = await call.ask('confirm', form(`Wait ${input.ms} ms?`, { confirm: boolean({ title: 'Wait' }) }));
    if (answer.action !== 'accept' || !answer.content.confirm) return `Not confirmed (${answer.action}).`;
    return this.wait(input, call);
  }

  @Tool({
    name: 'confirm_echo',
    description: 'Asks first, then gives back the message; confirmed twice, it does so twice.',
    input: Echo,
    annotations: { readOnlyHint: true },
  })
  async confirmEcho({ message }: z.output<typeof Echo>, call: Call): Promise<string> {
    const answer = await call.ask('confirm', form('Give back the message?', { confirm: boolean({ title: 'Yes' }) }));
    return answer.action === 'accept' && answer.content.confirm ? message : `Not confirmed (${answer.action}).`;
  }
}

/** A provider with `count` tools named `echo_0001` and so on, for catalogues of any size. */
export function generatedEchoTools(count: number): Type {
  @Injectable()
  class GeneratedEchoTools {}
  for (let index = 1; index <= count; index += 1) {
    const name = `echo_${String(index).padStart(4, '0')}`;
    const descriptor = {
      value: ({ message }: z.output<typeof Echo>): string => message,
      configurable: true,
      enumerable: false,
      writable: true,
    };
    Tool({ name, description: `Gives back the message. Number ${index} of ${count}.`, input: Echo })(
      GeneratedEchoTools.prototype,
      name,
      descriptor,
    );
    Object.defineProperty(GeneratedEchoTools.prototype, name, descriptor);
  }
  return GeneratedEchoTools;
}
