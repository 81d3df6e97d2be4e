/**
 * The gateway as it would run in production, each part a process of its own, from what `npm run build` made: routers, one
 * worker with a catalogue of a given size, and, for flows, the replay service on a real Redis. Unlike the cluster of the
 * scenarios nothing is traced and nothing logs more than the default.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedisReplica, startRedisServer, type RunningRedis } from '@roundhouse/testing';
import { findFreePorts } from '../harness/free-ports.js';
import { resultOf, sendMcp } from '../harness/mcp-request.js';
import type { ProcessSeat } from '../harness/process-seat.js';
import type { HeaderList } from '../harness/raw-client.js';
import { OUT, ROOT, makeKeyset } from '../harness/workspace.js';
import { GatewayPlan, type RouterExtras } from './gateway-plan.js';

/** Tools of the worker's diagnostics module itself; the others are generated. */
export const OWN_TOOLS = 5;

export interface GatewayOptions {
  /** Folder below out/ for logs and configuration; emptied at the start. */
  readonly name: string;
  readonly tools: number;
  readonly routers?: number;
  /** With the replay service and a Redis of its own. */
  readonly replay?: boolean;
  /** With `replay`: the Redis has a replica, and no claim counts before the replica has it. */
  readonly replica?: boolean;
  /** False: no router measures anything. */
  readonly metrics?: boolean;
  /** Where the first router writes its CPU profile. */
  readonly cpuProfile?: string;
  readonly extras?: RouterExtras;
  /** Another checkout, whose programs run instead; absent: this one. What it has of tools is its own affair. */
  readonly checkout?: string;
  /** What calls need to be served. */
  readonly headers?: HeaderList;
}

export class Gateway {
  private redis: RunningRedis | undefined;
  private redisReplica: RunningRedis | undefined;
  private replaySeat: ProcessSeat | undefined;

  private constructor(
    private readonly folder: string,
    readonly routers: readonly ProcessSeat[],
    readonly worker: ProcessSeat,
  ) {}

  static async start(options: GatewayOptions): Promise<Gateway> {
    const {
      name,
      tools,
      routers = 1,
      replay = false,
      replica = false,
      metrics = true,
      cpuProfile,
      extras,
      checkout = ROOT,
      headers,
    } = options;
    const folder = join(OUT, name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'keyset.json'), await makeKeyset(), { mode: 0o600 });
    const [workerPort = 0, replayPort = 0, ...rest] = await findFreePorts(2 + 2 * routers);
    const ports = { worker: workerPort, replay: replay ? replayPort : undefined, routers: rest };
    const section = { metrics: { enabled: metrics }, ...extras?.section };
    const plan = new GatewayPlan(folder, ports, { ...extras, section }, checkout);
    const gateway = new Gateway(folder, plan.routers(routers, cpuProfile), plan.worker(tools - OWN_TOOLS));
    try {
      if (replay) await gateway.beginReplay(plan, replica);
      await gateway.begin(checkout === ROOT ? tools : undefined, headers);
      return gateway;
    } catch (error) {
      await gateway.stop();
      throw error;
    }
  }

  /** Throws when the gateway has no such router. */
  router(at: number): ProcessSeat {
    const found = this.routers[at];
    if (found === undefined) throw new RangeError(`no router ${at}`);
    return found;
  }

  get replayPids(): readonly number[] {
    return this.replaySeat === undefined ? [] : [this.replaySeat.process.pid];
  }

  /** Throws without `replay`. */
  get redisPort(): number {
    if (this.redis === undefined) throw new RangeError('no Redis');
    return this.redis.port;
  }

  get redisPids(): readonly number[] {
    return this.redis === undefined ? [] : [this.redis.pid];
  }

  complaints(): string[] {
    return this.seats.flatMap((seat) => seat.complaints());
  }

  async stop(): Promise<void> {
    const ends = await Promise.allSettled(this.seats.map((seat) => seat.stop()));
    await this.redisReplica?.stop();
    await this.redis?.stop();
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason as Error;
  }

  private get seats(): readonly ProcessSeat[] {
    return [...this.routers, this.worker, ...(this.replaySeat === undefined ? [] : [this.replaySeat])];
  }

  private async beginReplay(plan: GatewayPlan, replica: boolean): Promise<void> {
    this.redis = await startRedisServer(replica ? { args: ['--min-replicas-to-write', '1'] } : {});
    if (replica) this.redisReplica = await startRedisReplica(this.redis.port);
    this.replaySeat = plan.replay(this.redis.url, replica ? 1 : 0);
    await this.replaySeat.start();
  }

  private async begin(tools: number | undefined, headers: HeaderList | undefined): Promise<void> {
    await this.worker.start();
    for (const router of this.routers) {
      await router.start();
      const found = await countTools(router.port, headers);
      if (tools !== undefined && found !== tools) throw new Error(`${this.folder}: ${found} tools instead of ${tools}`);
    }
  }
}

async function countTools(port: number, headers: HeaderList = []): Promise<number> {
  let count = 0;
  let cursor: unknown;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = resultOf(await sendMcp(port, { method: 'tools/list', params, headers }));
    count += (tools as unknown[]).length;
    cursor = nextCursor;
  } while (cursor !== undefined);
  return count;
}
