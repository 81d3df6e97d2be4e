/** TST-4: whatever a worker says, each message is one event of one data line, as any reader of event streams splits it. */
import { META } from '@roundhouse/protocol';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concat, from } from 'rxjs';
import { RouterUnderTest } from '../testing/router-under-test.js';
import { completes } from '../testing/replies.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

let said: readonly unknown[] = [];
const worker = new ScriptedWorker({
  talker: {
    script: () =>
      concat(from(said.map((data) => ({ kind: 'log', level: 'info', data }))), completes(JSON.stringify(said))),
  },
});
let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker]);
});
afterAll(() => router.stop());

/** Line ends of the event stream format, and characters that other readers take for one. */
const breaks = fc.constantFrom(
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\u0085',
  '\u2028',
  '\u2029',
  'data: x',
  '\nevent: message\n',
);
const words = fc.array(fc.oneof(breaks, fc.string({ unit: 'binary', maxLength: 10 })), { maxLength: 6 });
const anything = fc.oneof(
  words.map((parts) => parts.join('')),
  fc.jsonValue({ maxDepth: 3 }),
);

it('carries each message whole, in order, and nothing else', async () => {
  const check = fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 5 }), async (data) => {
    said = data;
    const { text } = await router.tool('talker', {}, { meta: { [META.logLevel]: 'debug' } });
    const lines = text.split(/\r\n|[\r\n\u0085\u2028\u2029]/);
    const messages = lines.filter((line) => line.startsWith('data: ')).map((line) => JSON.parse(line.slice(6)));
    expect(lines.filter((line) => !/^(event: message|data: \{.*\}|)$/.test(line))).toEqual([]);
    expect(messages.slice(0, -1).map(({ params }) => params.data)).toEqual(JSON.parse(JSON.stringify(data)));
    expect(messages.at(-1).result.content[0].text).toBe(JSON.stringify(data));
  });
  await fc.assert(check, { numRuns: 200 });
}, 60_000);
