/**
 * What a two-round flow costs at the least: the same processes as a gateway's, two routers, a worker, a replay service and
 * a Redis, and in each of them only what no design can leave out.
 */
import { join } from 'node:path';
import { startRedisServer, type RunningRedis } from '@roundhouse/testing';
import { findFreePorts, isListening } from '../harness/free-ports.js';
import { ProcessSeat } from '../harness/process-seat.js';
import { OUT, ROOT } from '../harness/workspace.js';
import type { PidsByRole } from './processor-time.js';

export class LeastGateway {
  private constructor(
    private readonly redis: RunningRedis,
    /** In the order in which they start: who asks comes after whom it asks. */
    private readonly seats: readonly [ProcessSeat, ProcessSeat, ProcessSeat, ProcessSeat],
  ) {}

  static async start(): Promise<LeastGateway> {
    const [worker = 0, replay = 0, one = 0, other = 0] = await findFreePorts(4);
    const redis = await startRedisServer();
    const gateway = new LeastGateway(redis, [
      seat('worker', [worker]),
      seat('replay', [replay, redis.port]),
      seat('router', [one, worker, replay]),
      seat('router', [other, worker, replay]),
    ]);
    try {
      for (const each of gateway.seats) await each.start();
      return gateway;
    } catch (error) {
      await gateway.stop();
      throw error;
    }
  }

  get routerPorts(): readonly [number, number] {
    const [, , one, other] = this.seats;
    return [one.port, other.port];
  }

  get pids(): PidsByRole {
    const [worker, replay, one, other] = this.seats.map((each) => each.process.pid) as [number, number, number, number];
    return { routers: [one, other], worker: [worker], replay: [replay], redis: [this.redis.pid] };
  }

  complaints(): string[] {
    return this.seats.flatMap((each) => each.complaints());
  }

  async stop(): Promise<void> {
    await Promise.all(this.seats.map((each) => each.stop()));
    await this.redis.stop();
  }
}

function seat(program: string, ports: readonly [number, ...number[]]): ProcessSeat {
  const [port] = ports;
  return new ProcessSeat(port, {
    name: `least-${program}`,
    args: ['--import', './tools/ts-hook.mjs', `e2e/bench/servers/least/${program}.ts`, ...ports.map(String)],
    env: {},
    cwd: ROOT,
    logFile: join(OUT, 'bench', `least-${program}.log`),
    isReady: () => isListening(port),
  });
}
