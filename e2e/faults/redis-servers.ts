/**
 * The store under fire: a primary, a replica and a Sentinel that promotes it, each on a port and in a folder that stay
 * when the server is killed and comes back.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  SENTINEL_PRIMARY_NAME,
  askRedis,
  findFreePort,
  startRedisSentinel,
  startRedisServer,
  type RunningRedis,
} from '@roundhouse/testing';
import { until } from '../harness/until.js';

/** What the replay service asks of a store before it claims in it. */
const SAFE = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '10'];
/** A first synchronisation or a promotion takes up to some seconds on a busy machine. */
const IN_STEP_WITHIN_MS = 20_000;

export class RedisNode {
  private running: RunningRedis | undefined;

  constructor(
    readonly name: string,
    readonly port: number,
    private readonly directory: string,
  ) {
    mkdirSync(directory, { recursive: true });
  }

  async start(primaryPort?: number): Promise<void> {
    const role = primaryPort === undefined ? [] : ['--replicaof', '127.0.0.1', String(primaryPort)];
    const { port, directory } = this;
    this.running = await startRedisServer({ port, directory, args: [...SAFE, ...role] });
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.stop();
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = undefined;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running !== undefined) process.kill(this.running.pid, signal);
  }

  ask(line: string): Promise<string> {
    return askRedis(this.port, line);
  }
}

export class RedisServers {
  /** One fault at a time decides who is primary. */
  isTaken = false;

  private constructor(
    readonly nodes: readonly [RedisNode, RedisNode],
    private readonly sentinel: RunningRedis,
  ) {}

  static async start(folder: string): Promise<RedisServers> {
    const [first, second] = (await Promise.all(
      ['redis-1', 'redis-2'].map(async (name) => new RedisNode(name, await findFreePort(), join(folder, name))),
    )) as [RedisNode, RedisNode];
    await first.start();
    await second.start(first.port);
    await until(() => isInStep(second), { what: 'a replica of Redis', withinMs: IN_STEP_WITHIN_MS });
    return new RedisServers([first, second], await startRedisSentinel(first.port));
  }

  /** `host:port` of the Sentinel, and the name by which it knows the primary. */
  get sentinelAddress(): string {
    return `127.0.0.1:${this.sentinel.port}`;
  }

  /** Whom the Sentinel takes for the primary, first, and the other one. */
  async roles(): Promise<readonly [RedisNode, RedisNode]> {
    const reply = await askRedis(this.sentinel.port, `SENTINEL get-master-addr-by-name ${SENTINEL_PRIMARY_NAME}`);
    const [first, second] = this.nodes;
    return reply.includes(`\r\n${first.port}\r\n`) ? [first, second] : [second, first];
  }

  /** The Sentinel has a replica that it could promote now. */
  async canFailOver(): Promise<boolean> {
    const [, replica] = await this.roles();
    const known = await askRedis(this.sentinel.port, `SENTINEL replicas ${SENTINEL_PRIMARY_NAME}`);
    return known.includes(`:${replica.port}\r\n`) && !/s_down|disconnected/.test(known) && (await isInStep(replica));
  }

  /** Makes the node that was away a replica of whoever is primary now, as its operator would. */
  async rejoin(node: RedisNode): Promise<void> {
    const [primary] = await this.roles();
    if (primary === node) return;
    await node.ask(`REPLICAOF 127.0.0.1 ${primary.port}`);
  }

  async awaitWell(): Promise<void> {
    const isWell = () => this.canFailOver().catch(() => false);
    await until(isWell, { what: 'a primary and a replica of Redis', withinMs: IN_STEP_WITHIN_MS });
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) node.signal('SIGCONT');
    await Promise.all([this.sentinel.stop(), ...this.nodes.map((node) => node.stop())]);
  }
}

async function isInStep(replica: RedisNode): Promise<boolean> {
  return (await replica.ask('INFO replication').catch(() => '')).includes('master_link_status:up');
}
