/** TST-4: what a client sends is damaged in any way, and the answer is a refusal from the table, never a failure of ours. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RouterUnderTest, modernMessage, standardHeaders } from '../testing/router-under-test.js';
import { asks, completes, confirmAsk } from '../testing/replies.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

/** Whatever else is answered would be a mistake of ours. */
const STATUSES = [200, 202, 400, 403, 404, 406, 408, 413, 415, 431];
const FAILURE = -32603;

const worker = new ScriptedWorker({
  echo: { script: (request) => completes(request.body ?? 'none') },
  asking: { script: () => asks({ confirm: confirmAsk() }) },
});
let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker]);
});
afterAll(() => router.stop());

const ARGUMENTS = { text: 'é "quoted" \\ ☃', deep: [{ a: [null, 1.5e3, true] }] };
const RESPONSES = { confirm: { action: 'accept', content: { ok: true } } };
const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'v=1', baggage: 'k=v' };
const good = JSON.stringify(
  modernMessage(
    'tools/call',
    { name: 'echo', arguments: ARGUMENTS, requestState: null, inputResponses: RESPONSES },
    { meta: { progressToken: 7, 'com.example/x': {}, ...trace } },
  ),
);

/** A piece of the text is replaced: by nothing, by other bytes, by structure, by itself twice. */
const damage = (whole: string): fc.Arbitrary<Buffer> =>
  fc
    .array(
      fc.record({
        at: fc.nat(Buffer.byteLength(whole)),
        cut: fc.nat(12),
        put: fc.oneof(
          fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
          fc
            .constantFrom('{', '}', '[', ']', '"', ',', ':', '\\u', '-', 'null', '"__proto__":', '\r\n', '\0', '\ufeff')
            .map((piece) => Buffer.from(piece)),
          fc.constant(Buffer.from(whole)),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    )
    .map((changes) =>
      changes.reduce(
        (bytes, { at, cut, put }) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]),
        Buffer.from(whole),
      ),
    );

async function isServed(): Promise<boolean> {
  return (await router.tool('echo', ARGUMENTS)).body.result !== undefined;
}

describe('a body that was damaged', () => {
  it('is refused or served, is never a failure, and harms nothing after it', async () => {
    const headers = { ...standardHeaders('tools/call', { name: 'echo' }), 'x-roundhouse-principal': 'alice' };
    const check = fc.asyncProperty(damage(good), async (body) => {
      const answer = await router.send({ headers, body });
      expect(STATUSES).toContain(answer.status);
      expect(answer.body?.error?.code).not.toBe(FAILURE);
      expect(({} as { confirm?: unknown }).confirm).toBeUndefined();
    });
    await fc.assert(check, { numRuns: 800 });
    expect(await isServed()).toBe(true);
  }, 60_000);

  it('is refused or asked again when it is any JSON in the place of a state, of answers or of _meta', async () => {
    const place = fc.constantFrom('requestState', 'inputResponses', '_meta', 'name', 'arguments');
    const check = fc.asyncProperty(place, fc.jsonValue({ maxDepth: 4 }), async (member, value) => {
      const message = modernMessage('tools/call', { name: 'asking', arguments: {} }) as { params: object };
      const body = JSON.stringify({ ...message, params: { ...message.params, [member]: value } });
      const answer = await router.send({ headers: standardHeaders('tools/call', { name: 'asking' }), body });
      expect(STATUSES).toContain(answer.status);
      expect(answer.body.error?.code).not.toBe(FAILURE);
    });
    await fc.assert(check, { numRuns: 400 });
    expect(await isServed()).toBe(true);
  }, 60_000);
});

describe('a header that was damaged', () => {
  const NAMES = ['mcp-name', 'mcp-method', 'mcp-protocol-version', 'accept', 'content-type', 'origin', 'traceparent'];

  /** Node's own client would not send such bytes. */
  async function sendRaw(name: string, value: Buffer): Promise<string> {
    const { [name]: _replaced, ...others } = standardHeaders('tools/call', { name: 'echo' });
    const lines = Object.entries(others).map((header) => header.join(': '));
    const fixed = ['POST /mcp HTTP/1.1', 'host: 127.0.0.1', 'connection: close'];
    const length = `content-length: ${Buffer.byteLength(good)}`;
    const socket = connect(router.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write([...fixed, length, ...lines, `${name}: `].join('\r\n'));
    // The server closes; a client that half-closes counts as gone.
    socket.write(Buffer.concat([value, Buffer.from(`\r\n\r\n${good}`)]));
    return text(socket).catch(() => '');
  }

  it('is refused or served, is never a failure, and harms nothing after it', async () => {
    const value = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary', maxLength: 20 }).map((raw) => Buffer.from(`=?base64?${raw}?=`)),
      fc.base64String({ maxLength: 40 }).map((raw) => Buffer.from(`=?base64?${raw}?=`)),
      damage('=?base64?ZWNobw==?='),
    );
    const check = fc.asyncProperty(fc.constantFrom(...NAMES), value, async (name, bytes) => {
      const answer = await sendRaw(name, bytes);
      // Bytes that end the head early leave a rest that is no request: the first answer is the one to this one.
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
      expect(STATUSES).toContain(status);
      expect(answer).not.toContain(`"code":${FAILURE}`);
    });
    await fc.assert(check, { numRuns: 400 });
    expect(await isServed()).toBe(true);
  }, 60_000);
});
