/**
 * Claims in Redis or Valkey. Every decision is one script in Redis; nothing here reads and then writes. A claim that
 * reaches Redis after its caller stopped waiting changes nothing, so a timed-out attempt never spends a nonce behind
 * the back of the one that follows.
 */
import type { Redis } from 'ioredis';
import type { ClaimAnswer, ClaimRequest, ReleaseRequest, SettleRequest } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { claimKey } from './claim-key.js';
import { CLAIM_SCRIPT, PEEK_SCRIPT, RELEASE_SCRIPT, SETTLE_SCRIPT, type ClaimScript } from './claim-scripts.js';
import type { ClaimStore, PeekAnswer } from './claim-store.js';
import { RedisClock } from './redis-clock.js';
import { REDIS_COMMAND_TIMEOUT_MS, openRedisConnection, type RedisConnectionOptions } from './redis-connection.js';
import { StoreTimeout, toFailureCode, toStoreFailure } from './store-failure.js';

/** How long `open` waits for the first connection. */
const FIRST_CONNECTION_MS = 2_000;

/**
 * Part of its time within which a claim has to reach Redis. The rest is for the reply, and for what we know of Redis's
 * clock too imprecisely: together they keep a claim from running after its caller gave up.
 */
const ARRIVAL_SHARE = 0.8;

/** What the claim and peek scripts return: status, Redis's time, then a result or a lease left. */
type ScriptReply = [status: ClaimAnswer['status'] | 'late', redisMs: number, rest?: string | number];

export class RedisClaimStore implements ClaimStore {
  private readonly clock = new RedisClock();

  private constructor(
    private readonly redis: Redis,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Resolves when Redis answers, and after two seconds in any case: without Redis every call is refused until it is
   * there. Rejects only for a URL that is none.
   */
  static async open(options: RedisConnectionOptions): Promise<RedisClaimStore> {
    const redis = openRedisConnection(options);
    await untilReady(redis);
    return new RedisClaimStore(redis, options.commandTimeoutMs ?? REDIS_COMMAND_TIMEOUT_MS);
  }

  get isReachable(): boolean {
    return this.redis.status === 'ready';
  }

  claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const arriveByMs = performance.now() + this.timeoutMs * ARRIVAL_SHARE;
    return this.withinTime(async () => {
      const reply = await this.sendClaim(request, arriveByMs);
      // Late, but not by our clock: we did not know that of Redis, and now we do.
      const isMistaken = reply[0] === 'late' && performance.now() < arriveByMs;
      return toAnswer(isMistaken ? await this.sendClaim(request, arriveByMs) : reply);
    });
  }

  settle({ claimId, owner, result, retainMs }: SettleRequest): Promise<boolean> {
    return this.withinTime(async () => (await this.run(SETTLE_SCRIPT, claimId, [owner, result, retainMs])) === 1);
  }

  release({ claimId, owner }: ReleaseRequest): Promise<boolean> {
    return this.withinTime(async () => (await this.run(RELEASE_SCRIPT, claimId, [owner])) === 1);
  }

  peek(claimId: string, fingerprint: string): Promise<PeekAnswer> {
    return this.withinTime(
      async () => toAnswer((await this.run(PEEK_SCRIPT, claimId, [fingerprint])) as ScriptReply) as PeekAnswer,
    );
  }

  async close(): Promise<void> {
    await this.redis.quit().catch(() => this.redis.disconnect());
  }

  private async sendClaim(request: ClaimRequest, arriveByMs: number): Promise<ScriptReply> {
    const { claimId, fingerprint, owner, leaseMs, retainMs } = request;
    const sentMs = performance.now();
    const args = [fingerprint, owner, leaseMs, retainMs, this.clock.toRedisMs(arriveByMs)];
    const reply = (await this.run(CLAIM_SCRIPT, claimId, args)) as ScriptReply;
    // A reply that was stuck itself tells nothing about the clock.
    if (performance.now() >= arriveByMs) return reply;
    const sample = { sentMs, redisMs: reply[1] };
    if (reply[0] === 'late') this.clock.correct(sample);
    else this.clock.observe(sample);
    return reply;
  }

  private async run({ sha, source }: ClaimScript, claimId: string, args: (string | number)[]): Promise<unknown> {
    const key = claimKey(claimId);
    try {
      return await this.redis.evalsha(sha, 1, key, ...args);
    } catch (error) {
      if (toFailureCode(error) !== 'NOSCRIPT') throw error;
      return this.redis.eval(source, 1, key, ...args);
    }
  }

  /** The client's own timeout starts when a command is sent; while a batch is stuck, the next one waits unsent. */
  private async withinTime<T>(work: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new StoreTimeout()), this.timeoutMs);
    });
    try {
      return await Promise.race([work(), limit]);
    } catch (error) {
      throw error instanceof RoundhouseError ? error : toStoreFailure(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function toAnswer([status, , rest]: ScriptReply): ClaimAnswer {
  switch (status) {
    case 'inflight':
      return { status, leaseLeftMs: Number(rest) };
    case 'done':
      return { status, result: String(rest) };
    case 'late':
      throw new StoreTimeout();
    default:
      return { status };
  }
}

async function untilReady(redis: Redis): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, FIRST_CONNECTION_MS);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
