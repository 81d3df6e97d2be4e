/**
 * Claims in Redis or Valkey. Every decision is one script in Redis; nothing here reads and then writes. A claim that
 * reaches Redis after its caller stopped waiting changes nothing, so a timed-out attempt never spends a nonce behind
 * the back of the one that follows.
 */
import { randomBytes } from 'node:crypto';
import {
  REPLAY_BUCKETS,
  bucketOf,
  type ClaimAnswer,
  type ClaimRequest,
  type HoldRequest,
  type OnceRequest,
  type ReleaseRequest,
  type SettleRequest,
} from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { claimKey, epochKey, heldKey, onceKey, openClaimsKey } from './claim-key.js';
import { openClaimsPerBucket } from './claim-rules.js';
import {
  CLAIM_SCRIPT,
  EPOCH_SCRIPT,
  ONCE_SCRIPT,
  PEEK_SCRIPT,
  RELEASE_SCRIPT,
  SETTLE_SCRIPT,
  type ClaimScript,
} from './claim-scripts.js';
import type { ClaimStore, PeekAnswer } from './claim-store.js';
import { RedisClock } from './redis-clock.js';
import {
  REDIS_COMMAND_TIMEOUT_MS,
  findPrimaryAgain,
  openRedisConnection,
  type RedisConnection,
  type RedisConnectionOptions,
} from './redis-connection.js';
import { ReplicatedClaims, WAIT_MS, type ScriptRun } from './replicated-claims.js';
import { OPEN_CLAIMS_PER_PRINCIPAL_MAX, newEpoch, tooManyOpen } from './store-defaults.js';
import { runScript, withinTime } from './redis-script.js';
import { StoreTimeout } from './store-failure.js';
import { StoreSafety, type SafetyOptions } from './store-safety.js';

/** How long `open` waits for the first connection and the first look at Redis's settings. */
const FIRST_CONNECTION_MS = 2_000;

/**
 * Part of its time within which a claim has to reach Redis. The rest is for the reply, and for what we know of Redis's
 * clock too imprecisely: together they keep a claim from running after its caller gave up.
 */
const ARRIVAL_SHARE = 0.8;

/** A replica that is only slow must not cost us the connection over and over. */
const LOOK_EVERY_MS = 2_000;

export interface RedisClaimStoreOptions extends RedisConnectionOptions {
  /** Replicas that must have a claim before it counts; 0 for a Redis without replicas. */
  readonly replicasMin?: number;
  /** How long they may take; a part of the time of a command. */
  readonly waitMs?: number;
  readonly openClaimsPerPrincipalMax?: number;
  /** False lets a claim count although Redis forgot what was spent. Only to prove that the fence is what holds it. */
  readonly epochFence?: boolean;
  /** How Redis is looked at. Absent: not at all, and any settings will do. */
  readonly safety?: Pick<SafetyOptions, 'onChange' | 'onCheck'> & { readonly refuses: boolean };
}

/** What the claim and peek scripts return: status, Redis's time, then a result or a lease left. */
type ScriptReply = [status: ClaimAnswer['status'] | 'late' | 'limited', redisMs: number, rest?: string | number];

export class RedisClaimStore implements ClaimStore {
  private readonly clock = new RedisClock();
  private readonly timeoutMs: number;
  private readonly arrivalMs: number;
  private readonly openMax: number;
  private readonly isFenced: boolean;
  /** Only with replicas to wait for: these are asked on a connection of their own. */
  private readonly replicated: { readonly connection: RedisConnection; readonly claims: ReplicatedClaims } | undefined;
  private readonly safety: StoreSafety | undefined;
  private lookAgainMs = -Infinity;

  private constructor(
    private readonly redis: RedisConnection,
    private readonly options: RedisClaimStoreOptions,
  ) {
    this.timeoutMs = options.commandTimeoutMs ?? REDIS_COMMAND_TIMEOUT_MS;
    this.openMax = openClaimsPerBucket(options.openClaimsPerPrincipalMax ?? OPEN_CLAIMS_PER_PRINCIPAL_MAX);
    this.isFenced = options.epochFence ?? true;
    const replicasMin = options.replicasMin ?? 0;
    const waitMs = options.waitMs ?? WAIT_MS;
    this.arrivalMs = (this.timeoutMs - (replicasMin > 0 ? waitMs : 0)) * ARRIVAL_SHARE;
    if (replicasMin > 0) {
      const connection = openRedisConnection({ ...options, onOutage: undefined });
      this.replicated = { connection, claims: new ReplicatedClaims(connection, CLAIM_SCRIPT, { replicasMin, waitMs }) };
    }
    const { safety } = options;
    if (safety !== undefined)
      this.safety = new StoreSafety(redis, { replicasMin, onChange: safety.onChange, onCheck: safety.onCheck });
  }

  /**
   * Resolves when Redis answers, and after two seconds in any case: without Redis every call is refused until it is
   * there. Rejects only for a URL that is none.
   */
  static async open(options: RedisClaimStoreOptions): Promise<RedisClaimStore> {
    const store = new RedisClaimStore(openRedisConnection(options), options);
    await store.untilReady();
    return store;
  }

  get isReachable(): boolean {
    return this.connections.every(({ status }) => status === 'ready');
  }

  claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const arriveByMs = performance.now() + this.arrivalMs;
    return this.withinTime(async () => {
      if (this.options.safety?.refuses === true) this.safety?.assertSafe();
      const reply = await this.sendClaim(request, arriveByMs);
      // Late, but not by our clock: we did not know that of Redis, and now we do.
      const isMistaken = reply[0] === 'late' && performance.now() < arriveByMs;
      return toAnswer(isMistaken ? await this.sendClaim(request, arriveByMs) : reply);
    });
  }

  settle({ claimId, owner, result, retainMs, principal }: SettleRequest): Promise<boolean> {
    const run = { keys: keysOf(claimId, principal), args: [owner, claimId, result, retainMs] };
    return this.withinTime(async () => (await this.run(SETTLE_SCRIPT, run)) === 1);
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.withinTime(() => this.giveBack(request));
  }

  peek(claimId: string, fingerprint: string): Promise<PeekAnswer> {
    const run = { keys: [claimKey(claimId)], args: [fingerprint] };
    return this.withinTime(async () => toAnswer((await this.run(PEEK_SCRIPT, run)) as ScriptReply) as PeekAnswer);
  }

  epochs(): Promise<readonly string[]> {
    const read = async (_: unknown, bucket: number): Promise<string> =>
      String(await this.run(EPOCH_SCRIPT, { keys: [epochKey(bucket)], args: [newEpoch(randomBytes)] }));
    return this.withinTime(() => Promise.all(Array.from({ length: REPLAY_BUCKETS }, read)));
  }

  hold({ handle, text, retainMs }: HoldRequest): Promise<void> {
    return this.withinTime(async () => void (await this.redis.set(heldKey(handle), text, 'PX', retainMs)));
  }

  recall(handle: string): Promise<string | undefined> {
    return this.withinTime(async () => (await this.redis.get(heldKey(handle))) ?? undefined);
  }

  once({ id, owner, retainMs }: OnceRequest): Promise<boolean> {
    const run = { keys: [onceKey(id)], args: [owner, retainMs] };
    return this.withinTime(async () => (await this.run(ONCE_SCRIPT, run)) === 1);
  }

  async close(): Promise<void> {
    this.safety?.stop();
    await Promise.all(this.connections.map((connection) => connection.quit().catch(() => undefined)));
    // QUIT ends the connection to Redis, not those to the Sentinels.
    for (const connection of this.connections) connection.disconnect();
  }

  private get connections(): readonly RedisConnection[] {
    return this.replicated === undefined ? [this.redis] : [this.redis, this.replicated.connection];
  }

  private async sendClaim(request: ClaimRequest, arriveByMs: number): Promise<ScriptReply> {
    const sentMs = performance.now();
    const reply = await this.askClaim(request, this.clock.toRedisMs(arriveByMs));
    // A reply that was stuck itself tells nothing about the clock.
    if (performance.now() >= arriveByMs) return reply;
    const sample = { sentMs, redisMs: reply[1] };
    if (reply[0] === 'late') this.clock.correct(sample);
    else this.clock.observe(sample);
    return reply;
  }

  private async askClaim(request: ClaimRequest, arriveByRedisMs: number): Promise<ScriptReply> {
    const { claimId, fingerprint, owner, leaseMs, retainMs, epoch, rerunAllowed, principal } = request;
    const [record = '', ...open] = keysOf(claimId, principal);
    const fence = this.isFenced ? (epoch ?? '') : '';
    const run = {
      keys: [record, epochKey(bucketOf(claimId)), ...open],
      args: [
        fingerprint,
        owner,
        leaseMs,
        retainMs,
        arriveByRedisMs,
        fence,
        rerunAllowed ? '1' : '',
        this.openMax,
        claimId,
      ],
    };
    if (this.replicated === undefined) return (await this.run(CLAIM_SCRIPT, run)) as ScriptReply;
    const { reply, isReplicated } = await this.replicated.claims.run(run);
    if ((reply as ScriptReply)[0] !== 'new' || isReplicated) return reply as ScriptReply;
    // The primary may be alone, and its successor would know nothing of this claim. Nobody has acted on it yet.
    await this.giveBack({ claimId, owner, principal });
    this.lookForSuccessor();
    throw new RoundhouseError('replay_unavailable', { reason: 'replay_not_replicated', facts: { store: 'redis' } });
  }

  private lookForSuccessor(): void {
    const nowMs = performance.now();
    if (this.options.sentinel === undefined || nowMs < this.lookAgainMs) return;
    this.lookAgainMs = nowMs + LOOK_EVERY_MS;
    this.connections.forEach(findPrimaryAgain);
  }

  private async giveBack({ claimId, owner, principal }: ReleaseRequest): Promise<boolean> {
    return (await this.run(RELEASE_SCRIPT, { keys: keysOf(claimId, principal), args: [owner, claimId] })) === 1;
  }

  private run(script: ClaimScript, run: ScriptRun): Promise<unknown> {
    return runScript(this.redis, script, run);
  }

  private withinTime<T>(work: () => Promise<T>): Promise<T> {
    return withinTime(work, this.timeoutMs);
  }

  private async untilReady(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FIRST_CONNECTION_MS);
    });
    const ready = Promise.all(this.connections.map(isReady)).then(() => this.safety?.check());
    await Promise.race([ready, limit]);
    clearTimeout(timer);
  }
}

function keysOf(claimId: string, principal: string | undefined): string[] {
  return principal === undefined ? [claimKey(claimId)] : [claimKey(claimId), openClaimsKey(claimId, principal)];
}

function toAnswer([status, , rest]: ScriptReply): ClaimAnswer {
  switch (status) {
    case 'inflight':
      return { status, leaseLeftMs: Number(rest) };
    case 'done':
      return { status, result: String(rest) };
    case 'late':
      throw new StoreTimeout();
    case 'limited':
      throw tooManyOpen('redis');
    default:
      return { status };
  }
}

async function isReady(connection: RedisConnection): Promise<void> {
  if (connection.status === 'ready') return;
  await new Promise<void>((resolve) => connection.once('ready', () => resolve()));
}
