/**
 * Runs claims so that replicas have them before anybody acts on them (REP-4). WAIT vouches only for what its own
 * connection wrote, and holds up everything behind it; so claims have a connection of their own, and all that arrive
 * while one WAIT is under way go out together and share the next.
 */
import type { ClaimScript } from './claim-scripts.js';
import type { RedisConnection } from './redis-connection.js';
import { toFailureCode } from './store-failure.js';

/** How long replicas may take to confirm (REP-4). One nearby takes less than a millisecond. */
export const WAIT_MS = 100;

/** Claims that go out together: what Redis runs in one go must not keep others waiting, and the next batch is near. */
const BATCH_MAX = 256;

export interface ScriptRun {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

export interface ReplicatedReply {
  readonly reply: unknown;
  /** Whether enough replicas have everything that this script wrote. */
  readonly isReplicated: boolean;
}

interface Pending extends ScriptRun {
  readonly resolve: (reply: ReplicatedReply) => void;
  readonly reject: (error: unknown) => void;
}

/** Claims that may share a WAIT: on a cluster those of one bucket, which live on one node and stay together. */
interface Lane {
  pending: Pending[];
  isBusy: boolean;
}

export class ReplicatedClaims {
  private readonly lanes = new Map<string, Lane>();

  constructor(
    private readonly connection: RedisConnection,
    private readonly script: ClaimScript,
    private readonly needed: { readonly replicasMin: number; readonly waitMs: number },
  ) {}

  /** Rejects with what the client threw when the script did not run or its reply was lost. */
  run(run: ScriptRun): Promise<ReplicatedReply> {
    return new Promise((resolve, reject) => {
      const name = this.connection.isCluster ? hashTagOf(run.keys[0] ?? '') : '';
      const lane = this.lanes.get(name) ?? { pending: [], isBusy: false };
      this.lanes.set(name, lane);
      lane.pending.push({ ...run, resolve, reject });
      if (!lane.isBusy) void this.work(lane);
    });
  }

  private async work(lane: Lane): Promise<void> {
    lane.isBusy = true;
    while (lane.pending.length > 0) {
      const batch = lane.pending.splice(0, BATCH_MAX);
      const unknown = await this.send(batch, 'evalsha');
      if (unknown.length > 0) await this.send(unknown, 'eval');
    }
    lane.isBusy = false;
  }

  /** Resolves with those for which Redis did not know the script. */
  private async send(batch: readonly Pending[], command: 'evalsha' | 'eval'): Promise<readonly Pending[]> {
    const pipeline = this.connection.pipeline();
    const script = command === 'eval' ? this.script.source : this.script.sha;
    for (const { keys, args } of batch) pipeline[command](script, keys.length, ...keys, ...args);
    pipeline.wait(this.needed.replicasMin, this.needed.waitMs);
    const replies = await pipeline.exec().catch((error: unknown) => batch.map(() => [error, undefined] as const));
    const [waitError, confirmed] = replies?.[batch.length] ?? [new Error('no reply'), 0];
    const isReplicated = !waitError && Number(confirmed) >= this.needed.replicasMin;
    return batch.filter((pending, at) => {
      const [error, reply] = replies?.[at] ?? [new Error('no reply'), undefined];
      if (!error) pending.resolve({ reply, isReplicated });
      else if (command === 'evalsha' && toFailureCode(error) === 'NOSCRIPT') return true;
      else pending.reject(error);
      return false;
    });
  }
}

function hashTagOf(key: string): string {
  return key.slice(0, key.indexOf('}'));
}
