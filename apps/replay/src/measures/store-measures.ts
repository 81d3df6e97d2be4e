/** What the replay service counts: how long its store takes, what it could not answer, and how Redis was at the last look. */
import type { BreakerState, SafetyCheck } from '@roundhouse/replay-claim';
import { RoundhouseError } from '@roundhouse/errors';
import { Counters, Histograms, Readings, type Family } from '@roundhouse/telemetry';

export const STORE_OPERATIONS = ['claim', 'settle', 'release', 'peek', 'epochs', 'hold', 'recall', 'once'] as const;
export type StoreOperation = (typeof STORE_OPERATIONS)[number];

export class StoreMeasures {
  private readonly durations = new Histograms('roundhouse_replay_store_duration_seconds');
  private readonly errors = new Counters('roundhouse_replay_store_errors_total').begin(
    ...STORE_OPERATIONS.map((operation) => [operation] as const),
  );
  private readonly short = new Counters('roundhouse_replay_wait_short_total').begin([]);
  private circuit: BreakerState = 'closed';
  private looked: SafetyCheck | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Asks the store. An answer that says no is an answer; one that never came is an error. */
  async measure<T>(operation: StoreOperation, ask: () => Promise<T>): Promise<T> {
    const startedMs = this.now();
    try {
      return await ask();
    } catch (thrown) {
      const { code, reason } = RoundhouseError.from(thrown);
      if (code === 'replay_unavailable' || code === 'internal') this.errors.add([operation]);
      if (reason === 'replay_not_replicated') this.short.add([]);
      throw thrown;
    } finally {
      this.durations.observe([operation], (this.now() - startedMs) / 1_000);
    }
  }

  circuitTurned(state: BreakerState): void {
    this.circuit = state;
  }

  checked(check: SafetyCheck): void {
    this.looked = check;
  }

  /** `countWaiters`: attempts that wait now. */
  families(countWaiters: () => number): readonly Family[] {
    const figures = (): SafetyCheck['figures'] => this.looked?.figures;
    return [
      this.durations,
      this.errors,
      this.short,
      new Readings('roundhouse_replay_config_ok', () => [[[], this.looked && (this.looked.isSafe ? 1 : 0)]]),
      // While one call tries whether the store is back, all others are still refused.
      new Readings('roundhouse_replay_circuit_open', () => [[[], this.circuit === 'closed' ? 0 : 1]]),
      new Readings('roundhouse_replay_waiters', () => [[[], countWaiters()]]),
      new Readings('roundhouse_redis_memory_used_bytes', () => [[[], figures()?.memoryUsedBytes]]),
      new Readings('roundhouse_redis_memory_max_bytes', () => [[[], figures()?.memoryMaxBytes]]),
      new Readings('roundhouse_redis_connected_replicas', () => [[[], figures()?.connectedReplicas]]),
      new Readings('roundhouse_redis_evicted_keys', () => [[[], figures()?.evictedKeys]]),
    ];
  }
}
