/** The order in which a request is judged, over real HTTP: each rung's status, code and body, the same on every router. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { completed } from '../harness/flow.js';
import { sendMcp, toMessages } from '../harness/mcp-request.js';
import { sendRaw } from '../harness/raw-client.js';
import { sendBytes } from '../harness/raw-socket.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { CALLS, HEADERS, METHODS } from '../rungs/call-rungs.js';
import { MEDIA, VERBS_AND_HOSTS } from '../rungs/http-rungs.js';
import { ENVELOPES, SHAPES } from '../rungs/message-rungs.js';
import { ECHO, spoiled, unread, type Rung } from '../rungs/rung.js';

const BODY_BYTES_MAX = 256 * 1024;
/** For what never arrives; everything else here arrives in a few milliseconds. */
const REQUEST_TIMEOUT_MS = 2_000;

const start = () =>
  Cluster.start({
    name: 'e2e/ladder',
    router: {
      limits: { bodyBytesMax: BODY_BYTES_MAX, requestTimeoutMs: REQUEST_TIMEOUT_MS },
      allowedHosts: ['127.0.0.1', 'mcp.example.com'],
      allowedOrigins: ['https://app.example.com'],
    },
  });

export const scenarios = scenariosIn('ladder', start, [
  scenario('verbs, hosts and origins are judged first', ['A-23', 'A-30', 'B40'], ({ world }) =>
    climb(world, VERBS_AND_HOSTS),
  ),
  scenario('then what is sent and what is wanted back', ['B38', 'B39', 'Q-13'], ({ world }) => climb(world, MEDIA)),
  scenario('then the shape of the message', ['A-01', 'A-02', 'A-22', 'A-25', 'B56', 'B59', 'B61', 'B67'], ({ world }) =>
    climb(world, SHAPES),
  ),
  scenario('then the envelope and its version', ['A-07', 'A-08', 'A-16', 'B45'], ({ world }) =>
    climb(world, ENVELOPES),
  ),
  scenario('then the headers that mirror the body', ['H-01', 'H-02', 'H-03', 'H-04', 'H-10', 'B37'], ({ world }) =>
    climb(world, HEADERS),
  ),
  scenario('then the method', ['A-29'], ({ world }) => climb(world, METHODS)),
  scenario(
    'then capabilities, mirrored arguments and parameters',
    ['A-15', 'A-37', 'A-38', 'H-06', 'B66'],
    ({ world }) => climb(world, CALLS),
  ),

  scenario(
    'bodies up to the limit are served and larger ones refused while they arrive',
    ['B62'],
    async ({ world }) => {
      const call = (bytes: number) => {
        const { body } = spoiled({ ...ECHO, params: { name: 'echo', arguments: { message: '' } } }, {});
        const padding = 'x'.repeat(bytes - Buffer.byteLength(String(body)));
        return spoiled(ECHO, { body: String(body).replace('"message":""', `"message":"${padding}"`) });
      };
      await climb(world, [
        { rule: '150 KB are served', request: call(150_000), status: 200 },
        { rule: 'a body of exactly the limit is served', request: call(BODY_BYTES_MAX), status: 200 },
        unread('one byte more is refused', call(BODY_BYTES_MAX + 1), [413, -32600]),
        unread(
          'as is a body that grows past it without saying so',
          { ...call(BODY_BYTES_MAX + 1), headers: chunked(call(BODY_BYTES_MAX + 1)) },
          [413, -32600],
        ),
      ]);
    },
  ),

  scenario(
    'an integer of 5,000 digits and keys that name prototypes pass through unharmed',
    ['B66', 'B67'],
    async ({ world }) => {
      const args = `{"message":"ok","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"n":${'9'.repeat(5_000)}}`;
      const body = String(spoiled(ECHO, {}).body).replace('{"message":"hello"}', args);
      for (const { port } of world.routers) {
        const reply = await sendRaw({ port, ...spoiled(ECHO, { body }) });
        assert.equal(toMessages(reply)[0]?.result?.content?.[0]?.text, 'ok', reply.text);
      }
    },
  ),

  scenario(
    'what arrives too slowly, is too large a head or no HTTP is told so and cut off',
    ['B62'],
    async ({ world }) => {
      const [{ port = 0 } = {}] = world.routers;
      const head =
        'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n';
      const withinMs = 2 * REQUEST_TIMEOUT_MS;
      const answers = await Promise.all([
        sendBytes({ port, bytes: `${head}\r\n{`, withinMs }),
        sendBytes({ port, bytes: `${head}\r\n`, drip: ' ', withinMs }),
        sendBytes({ port, bytes: `${head}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, withinMs }),
        sendBytes({ port, bytes: 'NONSENSE\r\n\r\n', withinMs }),
        sendBytes({ port, bytes: `${head}Content-Length: 999\r\n\r\n`, withinMs }),
      ]);
      assert.deepEqual(
        answers.map((answer) => answer.split(' ')[1]),
        ['408', '408', '431', '400', '400'],
      );
      for (const answer of answers)
        assert.match(answer, /\r\n\r\n\{"jsonrpc":"2\.0","error":\{"code":-32\d{3},"message":"[^"]+"\}\}$/);
      assert.equal(completed(await sendMcp(port, { ...ECHO, id: undefined })), 'hello');
    },
  ),
]);

/** Sends every rung to every router, then a good call: nothing may be left behind by a refusal. */
async function climb(world: Cluster, rungs: readonly Rung[]): Promise<void> {
  for (const { rule, request, status, code, data, id } of rungs) {
    const replies = await Promise.all(world.routers.map(({ port }) => sendRaw({ port, ...request })));
    for (const reply of replies) {
      assert.equal(reply.status, status, `${rule}: ${reply.text}`);
      const [body] = toMessages(reply);
      assert.equal(body?.error?.code, code, `${rule}: ${reply.text}`);
      if (code === undefined) continue;
      assert.deepEqual(body?.id, id, `${rule}: ${reply.text}`);
      if (data !== undefined) assert.deepEqual(body?.error?.data, data, rule);
      assert.equal(reply.headers['content-type'], 'application/json', rule);
      assert.equal(reply.text.includes('\n'), false, 'one line');
    }
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1, `${rule}: the same bytes from every router`);
  }
  for (const { port } of world.routers)
    assert.equal(completed(await sendMcp(port, { ...ECHO, id: undefined })), 'hello');
}

function chunked({ headers = [] }: Rung['request']): NonNullable<Rung['request']['headers']> {
  return [...headers, ['Transfer-Encoding', 'chunked']];
}
