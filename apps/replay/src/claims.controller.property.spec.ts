/** TST-4: whatever a peer sends is refused or answered, and the service goes on. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PATTERN } from '@roundhouse/contracts';
import { RpcClient, RpcRefusal, type RunningService } from '@roundhouse/service-kit';
import fc from 'fast-check';
import { replayConfig } from './config.js';
import { startReplay } from './start-replay.js';

const ids = { claimId: 'c'.repeat(43), owner: 'owner-of-the-claim' };
const attempt = { fingerprint: 'f'.repeat(43), leaseMs: 1_000, retainMs: 1_000 };
const HANDLE = 'h'.repeat(22);
/** A good message of each kind. A wait that is not damaged would last. */
const MESSAGES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  [PATTERN.claim]: { ...ids, ...attempt, epoch: 'e'.repeat(22), rerunAllowed: true, principal: 'p'.repeat(43) },
  [PATTERN.settle]: { ...ids, result: 'sealed', retainMs: 1_000 },
  [PATTERN.release]: ids,
  [PATTERN.hold]: { handle: HANDLE, text: 'sealed', retainMs: 1_000 },
  [PATTERN.recall]: { handle: HANDLE },
  [PATTERN.epoch]: {},
};
const REFUSALS = ['invalid_request', 'overloaded'];

let service: RunningService;
let client: RpcClient;
beforeAll(async () => {
  const env = { ROUNDHOUSE_REPLAY_STORE: 'memory', ROUNDHOUSE_REPLAY_RPC_PORT: '0', ROUNDHOUSE_LOG_LEVEL: 'silent' };
  service = await startReplay(replayConfig.load(env));
  client = new RpcClient(service.address);
});
afterAll(async () => {
  client.close();
  await service.close();
});

const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(-1, 0, 1.5, 2 ** 53, 1e308, '', 'x'.repeat(44), '__proto__', '\r\n', {}, [], null),
  fc.stringMatching(/^[\w-]{20,45}$/),
);

describe('a message to the replay service', () => {
  it('with any value in any of its fields is answered or refused, and never a failure', async () => {
    const check = fc.asyncProperty(
      fc.constantFrom(...Object.keys(MESSAGES)),
      fc.nat(),
      hostile,
      async (pattern, at, value) => {
        const good = MESSAGES[pattern] ?? {};
        const field = Object.keys(good)[at % Math.max(1, Object.keys(good).length)] ?? 'added';
        const told = await client.ask(pattern, { ...good, [field]: value }, 5_000).catch((error: unknown) => error);
        if (told instanceof Error) expect(told).toBeInstanceOf(RpcRefusal);
        if (told instanceof RpcRefusal) expect(REFUSALS).toContain((told.detail as { code?: string }).code);
      },
    );
    await fc.assert(check, { numRuns: 1_000 });
  }, 60_000);

  it('that is any JSON, under any pattern, leaves the service as it was', async () => {
    const { host, port } = service.address;
    const pattern = fc.oneof(fc.constantFrom(...Object.keys(MESSAGES), PATTERN.outcome, '__proto__'), fc.jsonValue());
    const packet = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { pattern, data: fc.jsonValue({ maxDepth: 3 }), id: fc.jsonValue({ maxDepth: 1 }) },
        { requiredKeys: [] },
      ),
    );
    const check = fc.asyncProperty(packet, async (head) => {
      const socket = connect(port, host);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      const text = Buffer.from(JSON.stringify(head));
      const prefix = Buffer.alloc(8);
      prefix.writeUInt32BE(4 + text.length, 0);
      prefix.writeUInt32BE(text.length, 4);
      socket.write(Buffer.concat([prefix, text]));
      // An answer to somebody else shows that this one was read.
      expect(await client.ask(PATTERN.recall, { handle: 'n'.repeat(22) }, 5_000)).toEqual({});
      socket.destroy();
    });
    await fc.assert(check, { numRuns: 300 });
  }, 60_000);
});
