/**
 * What is done to the system, and how it is made whole again. A fault that finds no victim free does nothing: another one
 * has it just now.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_MS, ROUTER_WITH_OWN_CLOCK } from './fault-plan.js';
import type { FaultSystem, Victim } from './fault-system.js';
import { addKey, promoteKey } from './key-rotation.js';
import type { Load } from './load.js';
import type { SeededRandom } from './seeded-random.js';

export interface Scene {
  readonly system: FaultSystem;
  readonly load: Load;
  readonly random: SeededRandom;
}

export interface Struck {
  readonly victim: string;
  heal(): Promise<void>;
}

export interface Fault {
  readonly name: string;
  /** From the strike to the heal, in milliseconds. */
  readonly lastsMs: readonly [min: number, max: number];
  strike(scene: Scene): Promise<Struck | undefined>;
}

/** After a request was sent: from before its claim until after its reply, the longest runs included. */
const STRIKES_WITHIN_MS = 120;
const REQUEST_WITHIN_MS = 2_000;
/** Beyond what two clocks may differ. */
const CLOCK_OFF_MS = 120_000;
/** Below what an empty Redis needs for itself, so that every write is refused. */
const FULL = 'CONFIG SET maxmemory 1';
const NOT_FULL = 'CONFIG SET maxmemory 0';
const CUT_SHARE = 0.6;

export const FAULTS: readonly Fault[] = [
  { name: 'router-kill', lastsMs: [100, 800], strike: (scene) => kill(scene, scene.system.routers) },
  { name: 'worker-kill', lastsMs: [100, 800], strike: (scene) => kill(scene, scene.system.workers) },
  { name: 'replay-kill', lastsMs: [100, 800], strike: (scene) => kill(scene, scene.system.replays) },
  { name: 'router-stop', lastsMs: [LEASE_MS + 500, LEASE_MS + 1_500], strike: (scene) => halt(scene) },
  { name: 'redis-kill', lastsMs: [1_500, 3_000], strike: (scene) => killPrimary(scene) },
  { name: 'redis-cut-off', lastsMs: [1_500, 3_000], strike: (scene) => cutPrimaryOff(scene) },
  { name: 'redis-replica-stop', lastsMs: [500, 1_500], strike: (scene) => haltReplica(scene) },
  { name: 'redis-full', lastsMs: [500, 1_500], strike: (scene) => fill(scene) },
  { name: 'flushall', lastsMs: [0, 0], strike: (scene) => flush(scene) },
  { name: 'clock', lastsMs: [500, 2_000], strike: (scene) => shiftClock(scene) },
  { name: 'response-cut', lastsMs: [1_000, 3_000], strike: (scene) => cutAnswers(scene) },
  { name: 'key-rotation', lastsMs: [300, 1_000], strike: (scene) => rotateKeys(scene) },
];

async function kill({ load, random, system }: Scene, victims: readonly Victim[]): Promise<Struck | undefined> {
  const victim = take(victims, random);
  if (victim === undefined) return undefined;
  const { seat } = victim;
  // Requests go to routers; whatever is behind them gets work within a few milliseconds.
  const router = system.routers.includes(victim) ? seat.name : (random.pick(system.routers)?.seat.name ?? '');
  await once(load.sent, router, { signal: AbortSignal.timeout(REQUEST_WITHIN_MS) }).catch(() => undefined);
  await sleep(random.int(0, STRIKES_WITHIN_MS));
  await seat.process.kill();
  return { victim: seat.name, heal: () => startAgain(victim) };
}

async function startAgain(victim: Victim): Promise<void> {
  victim.isStarting = true;
  await victim.seat.start();
  victim.isStarting = false;
  victim.isTaken = false;
}

/** Longer than its lease: when it wakes, what it ran is no longer its own. */
async function halt({ random, system }: Scene): Promise<Struck | undefined> {
  const victim = take(system.routers, random);
  if (victim === undefined) return undefined;
  victim.seat.process.signal('SIGSTOP');
  return {
    victim: victim.seat.name,
    heal: async () => {
      victim.seat.process.signal('SIGCONT');
      victim.isTaken = false;
    },
  };
}

async function killPrimary({ system: { redis } }: Scene): Promise<Struck | undefined> {
  if (!(await takeRedis(redis))) return undefined;
  const [primary] = await redis.roles();
  await primary.kill();
  return {
    victim: primary.name,
    heal: async () => {
      const [now] = await redis.roles();
      await primary.start(now === primary ? undefined : now.port);
      await redis.awaitWell().finally(() => (redis.isTaken = false));
    },
  };
}

/** Halted, it is as good as unreachable, and when it comes back it still believes itself to be the primary. */
async function cutPrimaryOff({ random, system: { redis } }: Scene): Promise<Struck | undefined> {
  if (!(await takeRedis(redis))) return undefined;
  const [primary] = await redis.roles();
  primary.signal('SIGSTOP');
  return {
    victim: primary.name,
    heal: async () => {
      primary.signal('SIGCONT');
      await sleep(random.int(100, 1_000));
      await redis.rejoin(primary);
      await redis.awaitWell().finally(() => (redis.isTaken = false));
    },
  };
}

async function haltReplica({ system: { redis } }: Scene): Promise<Struck | undefined> {
  if (!(await takeRedis(redis))) return undefined;
  const [, replica] = await redis.roles();
  replica.signal('SIGSTOP');
  return {
    victim: replica.name,
    heal: async () => {
      replica.signal('SIGCONT');
      await redis.awaitWell().finally(() => (redis.isTaken = false));
    },
  };
}

/** Servers that are away just now are full or not as they were. */
async function fill({ system: { redis } }: Scene): Promise<Struck> {
  const tellAll = (line: string) => Promise.allSettled(redis.nodes.map((node) => node.ask(line)));
  await tellAll(FULL);
  return {
    victim: 'redis',
    heal: async () => {
      await tellAll(NOT_FULL);
    },
  };
}

async function flush({ system: { redis } }: Scene): Promise<Struck | undefined> {
  const [primary] = await redis.roles();
  const reply = await primary.ask('FLUSHALL').catch(() => '');
  return reply.startsWith('+OK') ? { victim: primary.name, heal: async () => undefined } : undefined;
}

async function shiftClock({ random, system }: Scene): Promise<Struck> {
  system.shiftClock(random.chance(0.5) ? CLOCK_OFF_MS : -CLOCK_OFF_MS);
  return {
    victim: ROUTER_WITH_OWN_CLOCK,
    heal: async () => {
      system.shiftClock(0);
    },
  };
}

async function cutAnswers({ load }: Scene): Promise<Struck> {
  const before = load.cutShare;
  load.cutShare = CUT_SHARE;
  return {
    victim: 'wire',
    heal: async () => {
      load.cutShare = before;
    },
  };
}

async function rotateKeys({ system: { keys } }: Scene): Promise<Struck | undefined> {
  if (!(await addKey(keys))) return undefined;
  return { victim: 'keyset', heal: () => promoteKey(keys) };
}

function take(victims: readonly Victim[], random: SeededRandom): Victim | undefined {
  const victim = random.pick(victims.filter(({ isTaken }) => !isTaken));
  if (victim !== undefined) victim.isTaken = true;
  return victim;
}

/** Only a pair that is whole can lose its primary and go on. */
async function takeRedis(redis: FaultSystem['redis']): Promise<boolean> {
  if (redis.isTaken) return false;
  redis.isTaken = true;
  const canFailOver = await redis.canFailOver().catch(() => false);
  if (!canFailOver) redis.isTaken = false;
  return canFailOver;
}
