import { describe, expect, it } from '@jest/globals';
import { RoundhouseError, type ErrorCode, type Reason } from '@roundhouse/errors';
import { MemoryClaimStore, type ClaimStore } from '@roundhouse/replay-claim';
import { MeasuredStore } from './measured-store.js';
import { STORE_OPERATIONS, StoreMeasures } from './store-measures.js';

const FIGURES = { memoryUsedBytes: 10, memoryMaxBytes: 20, connectedReplicas: 1, evictedKeys: 0 };
const ASKS: Readonly<Record<(typeof STORE_OPERATIONS)[number], (store: ClaimStore) => Promise<unknown>>> = {
  claim: (store) =>
    store.claim({
      claimId: 'c'.repeat(43),
      fingerprint: 'f',
      owner: 'o',
      leaseMs: 1,
      retainMs: 1,
      rerunAllowed: false,
    }),
  settle: (store) => store.settle({ claimId: 'c'.repeat(43), owner: 'o', result: 'r', retainMs: 1 }),
  release: (store) => store.release({ claimId: 'c'.repeat(43), owner: 'o' }),
  peek: (store) => store.peek('c'.repeat(43), 'f'),
  epochs: (store) => store.epochs(),
  hold: (store) => store.hold({ handle: 'h', text: 't', retainMs: 1 }),
  recall: (store) => store.recall('h'),
  once: (store) => store.once({ id: 'i'.repeat(43), owner: 'o', retainMs: 1 }),
};

function samplesOf(measures: StoreMeasures): Record<string, number> {
  const all = measures
    .families(() => 7)
    .flatMap((family) =>
      Array.from(family.samples(), ({ suffix = '', labels, value }) => {
        const shown = Object.entries(labels).map(([name, label]) => `${name}=${label}`);
        return [`${family.name}${suffix}${shown.length === 0 ? '' : ` ${shown.join(' ')}`}`, value] as const;
      }),
    );
  return Object.fromEntries(all);
}

async function failWith(code: ErrorCode, reason: Reason): Promise<Record<string, number>> {
  const measures = new StoreMeasures();
  const failing = measures.measure('claim', () => Promise.reject(new RoundhouseError(code, { reason })));
  await expect(failing).rejects.toMatchObject({ code, reason });
  return samplesOf(measures);
}

describe('the measures of the store', () => {
  it.each(STORE_OPERATIONS)('time %s by its name, and it is answered all the same', async (operation) => {
    const measures = new StoreMeasures();
    const [plain, measured] = [new MemoryClaimStore(), new MeasuredStore(new MemoryClaimStore(), measures)];
    const answer = await ASKS[operation](measured);
    if (operation !== 'epochs') expect(answer).toEqual(await ASKS[operation](plain));
    const samples = samplesOf(measures);
    expect(samples[`roundhouse_replay_store_duration_seconds_count op=${operation}`]).toBe(1);
    expect(samples[`roundhouse_replay_store_errors_total op=${operation}`]).toBe(0);
  });

  it.each([
    ['replay_unavailable', 'replay_timed_out', 1, 0],
    ['replay_unavailable', 'replay_store_failed', 1, 0],
    ['replay_unavailable', 'replay_not_replicated', 1, 1],
    ['internal', 'unexpected', 1, 0],
    ['overloaded', 'limit_reached', 0, 0],
  ] as const)('count %s, %s as %d error and %d short wait', async (code, reason, errors, short) => {
    const samples = await failWith(code, reason);
    expect(samples['roundhouse_replay_store_errors_total op=claim']).toBe(errors);
    expect(samples['roundhouse_replay_wait_short_total']).toBe(short);
    expect(samples['roundhouse_replay_store_duration_seconds_count op=claim']).toBe(1);
  });

  it('know nothing of Redis before it was looked at', () => {
    const names = Object.keys(samplesOf(new StoreMeasures()));
    expect(names.filter((name) => /config_ok|redis/.test(name))).toEqual([]);
  });

  it('show the last look at Redis, and no figure that it does not tell', () => {
    const measures = new StoreMeasures();
    measures.checked({ isSafe: true, figures: FIGURES });
    expect(samplesOf(measures)).toMatchObject({
      roundhouse_replay_config_ok: 1,
      roundhouse_redis_memory_used_bytes: 10,
      roundhouse_redis_memory_max_bytes: 20,
      roundhouse_redis_connected_replicas: 1,
      roundhouse_redis_evicted_keys: 0,
    });
    measures.checked({ isSafe: false, figures: undefined });
    const after = samplesOf(measures);
    expect(after['roundhouse_replay_config_ok']).toBe(0);
    expect(Object.keys(after).filter((name) => name.startsWith('roundhouse_redis'))).toEqual([]);
  });

  it.each([
    ['open', 1],
    ['half-open', 1],
    ['closed', 0],
  ] as const)('show a circuit that is %s as %d', (state, shown) => {
    const measures = new StoreMeasures();
    measures.circuitTurned('open');
    measures.circuitTurned(state);
    expect(samplesOf(measures)).toMatchObject({ roundhouse_replay_circuit_open: shown, roundhouse_replay_waiters: 7 });
  });
});
