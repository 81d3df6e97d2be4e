/**
 * The whole system on loopback, each part a process of its own: routers behind a round robin, tool workers, one replay
 * service, a real Redis. Ports and folders stay when a process is started again.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askRedis, startRedisServer, type RunningRedis } from '@roundhouse/testing';
import { ClusterPlan, traceFileOf, type ClusterOptions, type PlannedSeats } from './cluster-plan.js';
import { sendMcp, type McpCall } from './mcp-request.js';
import type { ProcessSeat } from './process-seat.js';
import type { HeaderList } from './raw-client.js';
import { readRedis } from './redis-content.js';
import { RoundRobin } from './round-robin.js';
import { secretWatch } from './secret-watch.js';
import { endOf, readSpans, serverOf, type SpanLine } from './trace-file.js';
import { until } from './until.js';
import { OUT, makeKeyset } from './workspace.js';

const ECHO = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'connected' } } };
/** Only the replay service knows it. */
const REDIS_PASSWORD = 'MARK_redis_password_8d20';
/** A router looks again within five seconds. */
const CONNECTED_WITHIN_MS = 15_000;

interface ClusterParts extends PlannedSeats {
  readonly folder: string;
  readonly plan: ClusterPlan;
  readonly front: RoundRobin;
  readonly redis: RunningRedis;
  readonly headersFor: (resource: string) => Promise<HeaderList>;
}

export class Cluster {
  private readonly strays: ProcessSeat[] = [];

  private constructor(private readonly parts: ClusterParts) {}

  static async start(options: ClusterOptions): Promise<Cluster> {
    const folder = join(OUT, options.name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    secretWatch.keep('the password of Redis', REDIS_PASSWORD);
    const startRedis = startRedisServer({ args: ['--requirepass', REDIS_PASSWORD] });
    const [front, redis, keyset] = await Promise.all([RoundRobin.start(options.front), startRedis, makeKeyset()]);
    writeFileSync(join(folder, 'keyset.json'), keyset, { mode: 0o600 });
    watchKeys(keyset);
    const redisUrl = redis.url.replace('//', `//default:${REDIS_PASSWORD}@`);
    const plan = new ClusterPlan(options, folder, { frontUrl: front.url, redisUrl });
    const headersFor = options.headersFor ?? (async () => []);
    const cluster = new Cluster({ folder, plan, front, redis, headersFor, ...(await plan.seats()) });
    front.route(cluster.routers.map(({ port }) => port));
    try {
      await startAll(cluster.seats);
      await cluster.awaitConnected();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /**
   * Resolves when every router has run a call on every worker it is told of. A router is ready with the first one, but
   * only of workers it is connected to does it hear changes.
   */
  async awaitConnected(): Promise<void> {
    const call = { ...ECHO, headers: await this.parts.headersFor(this.front.url) };
    await Promise.all(this.parts.routers.map((router) => this.awaitReach(router, call)));
  }

  get folder(): string {
    return this.parts.folder;
  }

  get front(): RoundRobin {
    return this.parts.front;
  }

  /** Where clients go when it shall not matter which router serves them. */
  get port(): number {
    return this.front.port;
  }

  /** Everything that lies in Redis, as one text. */
  readRedis(): Promise<string> {
    return readRedis(this.parts.redis.port, REDIS_PASSWORD);
  }

  /** One command to Redis, as its administrator: both lines go out together, so both were served once it answers. */
  askRedis(line: string): Promise<string> {
    return askRedis(this.parts.redis.port, `AUTH ${REDIS_PASSWORD}\r\n${line}`);
  }

  /** SIGTERM, as an operator would; it does not come back. */
  stopRedis(): Promise<void> {
    return this.parts.redis.stop();
  }

  get routers(): readonly ProcessSeat[] {
    return this.parts.routers;
  }

  get workers(): readonly ProcessSeat[] {
    return this.parts.workers;
  }

  get replay(): ProcessSeat {
    return this.parts.replay;
  }

  /** Where routers hear each other. */
  get peerPorts(): readonly number[] {
    return this.parts.peerPorts;
  }

  get seats(): readonly ProcessSeat[] {
    return [this.replay, ...this.workers, ...this.routers, ...this.strays];
  }

  /** Starts a router that nobody balances to; `section` is laid over the settings that all routers have. */
  async startStrayRouter(name: string, section: Readonly<Record<string, unknown>>): Promise<ProcessSeat> {
    const seat = await this.parts.plan.strayRouter(name, section);
    this.strays.push(seat);
    await seat.start();
    return seat;
  }

  /** All spans of all routers so far, by start. */
  spans(): SpanLine[] {
    return this.routers
      .flatMap(({ name }) => readSpans(traceFileOf(this.folder, name)))
      .sort((a, b) => a.startMs - b.startMs);
  }

  /** Place of the worker that listens at `host:port`. */
  workerAt(address: unknown): ProcessSeat | undefined {
    return this.workers.find(({ port }) => address === `127.0.0.1:${port}`);
  }

  private async awaitReach(router: ProcessSeat, call: McpCall): Promise<void> {
    const wanted = this.parts.reachOf(router.name);
    const traceFile = traceFileOf(this.folder, router.name);
    const before = endOf(traceFile);
    const hasAll = async (): Promise<boolean> => {
      // At once, because one at a time might all go to the same worker.
      const replies = await Promise.all(Array.from({ length: 2 * wanted.length }, () => sendMcp(router.port, call)));
      const since = readSpans(traceFile, before);
      const reached = new Set(since.map(serverOf));
      return wanted.every((address) => reached.has(address)) && replies.every(({ status }) => status === 200);
    };
    await until(hasAll, { what: `${router.name} reaches ${wanted.join(' and ')}`, withinMs: CONNECTED_WITHIN_MS });
  }

  complaints(): string[] {
    return this.seats.flatMap((seat) => seat.complaints());
  }

  /** Everything ends; a process that does not go by itself is killed and reported. */
  async stop(): Promise<void> {
    await this.front.stop();
    const ends = await Promise.allSettled(this.seats.map((seat) => seat.stop()));
    await this.parts.redis.stop();
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason as Error;
  }
}

async function startAll(seats: readonly ProcessSeat[]): Promise<void> {
  const starts = await Promise.allSettled(seats.map((seat) => seat.start()));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed !== undefined) throw failed.reason as Error;
}

function watchKeys(keyset: string): void {
  const { keys } = JSON.parse(keyset) as { readonly keys: readonly { readonly k: string }[] };
  for (const { k } of keys) for (const key of [k, Buffer.from(k, 'base64url')]) secretWatch.keep('a sealing key', key);
}
