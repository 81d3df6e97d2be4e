/**
 * The whole system for a fault run, each part a process of its own on loopback: two routers, two tool workers, two replay
 * processes, Redis with a replica and a Sentinel. Nothing stands before the routers: the load chooses one for each request.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { ProcessSeat } from '../harness/process-seat.js';
import { until } from '../harness/until.js';
import { makeKeyset } from '../harness/workspace.js';
import { CuttingProxy } from './cutting-proxy.js';
import { clockFileOf, keysetFileOf, ledgerFileOf, planSeats, type FaultSeats } from './fault-plan.js';
import type { Rotated } from './key-rotation.js';
import { KeysetCopies } from './keyset-copies.js';
import { mint, present } from './presentation.js';
import { RedisServers } from './redis-servers.js';
import type { SeededRandom } from './seeded-random.js';

/** Answers of the load are a little shorter, so some cuts come after the last byte. */
const ANSWER_BYTES_MAX = 900;
const WELL_WITHIN_MS = 60_000;
const PROBE_WITHIN_MS = 5_000;

export interface FaultSystemOptions {
  readonly folder: string;
  readonly random: SeededRandom;
  /** Whether claims are fenced by the store's epoch (REP-5). */
  readonly isFenced: boolean;
  /** Each router follows a keyset file of its own; see `keysetCopies`. */
  readonly hasOwnKeysets?: boolean | undefined;
}

/** A process that faults fight over: one at a time has it. */
export interface Victim {
  readonly seat: ProcessSeat;
  isTaken: boolean;
  /** Runs again, but has not said that it is ready. */
  isStarting: boolean;
}

export interface Target {
  readonly name: string;
  readonly port: number;
  readonly victim: Victim;
  /** The same router over a wire that breaks. */
  readonly wire: CuttingProxy;
}

export class FaultSystem {
  readonly workers: readonly Victim[];
  readonly replays: readonly Victim[];

  private constructor(
    private readonly folder: string,
    private readonly seats: FaultSeats,
    readonly redis: RedisServers,
    readonly targets: readonly Target[],
  ) {
    this.workers = toVictims(seats.workers);
    this.replays = toVictims(seats.replays);
  }

  static async start({ folder, random, isFenced, hasOwnKeysets }: FaultSystemOptions): Promise<FaultSystem> {
    mkdirSync(folder, { recursive: true });
    const [redis, keyset] = await Promise.all([RedisServers.start(folder), makeKeyset()]);
    writeFileSync(keysetFileOf(folder), keyset, { mode: 0o600 });
    const seats = await planSeats({ folder, isFenced, hasOwnKeysets, sentinelAddress: redis.sentinelAddress });
    const drawBytes = (): number => random.int(1, ANSWER_BYTES_MAX);
    const targets = await Promise.all(
      toVictims(seats.routers).map(async (victim) => {
        const { name, port } = victim.seat;
        return { name, port, victim, wire: await CuttingProxy.start(port, drawBytes) };
      }),
    );
    const system = new FaultSystem(folder, seats, redis, targets);
    try {
      await system.keysetCopies.deliver(keyset, []);
      await Promise.all(system.victims.map(({ seat }) => seat.start()));
      await system.awaitWell();
      return system;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  get routers(): readonly Victim[] {
    return this.targets.map(({ victim }) => victim);
  }

  /** The keyset's file, and the routers that follow it. */
  get keys(): Rotated {
    return { keysetFile: keysetFileOf(this.folder), adminPorts: this.seats.adminPorts };
  }

  get keysetCopies(): KeysetCopies {
    return new KeysetCopies(this.seats.keysetFiles);
  }

  get ledgerFile(): string {
    return ledgerFileOf(this.folder);
  }

  /** Offset in milliseconds of the one router whose clock can be wrong. */
  shiftClock(offsetMs: number): void {
    writeFileSync(clockFileOf(this.folder), String(offsetMs));
  }

  /** Resolves when a whole flow succeeds on every router. */
  async awaitWell(): Promise<void> {
    await this.redis.awaitWell();
    await Promise.all(
      this.targets.map(({ name, port }) =>
        until(() => runsFlow(port), { what: `a flow on ${name}`, withinMs: WELL_WITHIN_MS }),
      ),
    );
  }

  complaints(): string[] {
    return this.victims.flatMap(({ seat }) => seat.complaints());
  }

  async stop(): Promise<void> {
    await Promise.all(this.targets.map(({ wire }) => wire.stop()));
    const ends = await Promise.allSettled(this.victims.map(({ seat }) => seat.stop()));
    await this.redis.stop();
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason as Error;
  }

  private get victims(): readonly Victim[] {
    return [...this.replays, ...this.workers, ...this.routers];
  }
}

function toVictims(seats: readonly ProcessSeat[]): Victim[] {
  return seats.map((seat) => ({ seat, isTaken: false, isStarting: false }));
}

/** Declined, so that nothing runs that the load has not ordered. */
async function runsFlow(port: number): Promise<boolean> {
  const order = { label: 'probe', ms: 0 };
  const route = { port, withinMs: PROBE_WITHIN_MS };
  const state = await mint(order, route);
  if (state === undefined) return false;
  return (await present({ ...order, state, way: 'decline' }, route)).answer === 'success';
}
