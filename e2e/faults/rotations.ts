/**
 * KEY-2 with real routers: keys rotate under a load of two-round flows while each router learns of it after a random delay
 * and goes by its own clock. While delays stay below the time for which a key waits, no valid state is refused; once one
 * is later, some must be, or this would find nothing.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OUT } from '../harness/workspace.js';
import { KEYSET_POLL_MS } from './fault-plan.js';
import { FaultSystem } from './fault-system.js';
import { addKey } from './key-rotation.js';
import { hastened } from './keyset-copies.js';
import type { Check } from './promises.js';
import { SeededRandom } from './seeded-random.js';
import { TwoRoundLoad } from './two-round-load.js';

export const ROTATIONS = 3;
/** Of the time between two rotations a new key waits so much: production has ten minutes of a day. */
const LEAD_SHARE = 0.7;
/** By how much the clocks may differ here, for a minute in production. */
const SKEW_MS = 100;
/** What a busy machine may take beyond the poll until a file is read. */
const SLACK_MS = 500;
/** The late router learns of a key so long after the other one sealed with it. */
const LATE_BY_MS = 1_500;

export interface RotationsOptions {
  readonly seed: number;
  readonly loadMs: number;
  readonly say: (line: string) => void;
}

export interface RotationRun {
  readonly flows: number;
  readonly rotations: number;
  readonly rejected: number;
  readonly unfinished: readonly string[];
  /** Flows that began under one key and ended when another one sealed. */
  readonly crossed: number;
  /** Different keys that sealed. */
  readonly sealingKeys: number;
  /** Refused states when one router learnt of a key too late. */
  readonly lateRejected: number;
  readonly complaints: readonly string[];
}

export async function playRotations({ seed, loadMs, say }: RotationsOptions): Promise<RotationRun> {
  const folder = join(OUT, 'faults', `${seed}-rotations`);
  rmSync(folder, { recursive: true, force: true });
  const random = new SeededRandom(seed).fork(5);
  const system = await FaultSystem.start({ folder, random, isFenced: true, hasOwnKeysets: true });
  try {
    const periodMs = loadMs / ROTATIONS;
    const rotation = new Rotation(system, random.fork(1), Math.round(periodMs * LEAD_SHARE), say);
    const load = new TwoRoundLoad('r', system.targets, random.fork(2), periodMs);
    await during(load, async () => {
      for (let turn = 0; turn < ROTATIONS; turn += 1) await rotation.inTime();
    });
    const late = new TwoRoundLoad('l', system.targets, random.fork(3), LATE_BY_MS);
    await during(late, () => rotation.late());
    const { flows, rejected, unfinished, crossed, kids } = load;
    const counts = { flows, rejected, unfinished, crossed, sealingKeys: kids.size };
    return { ...counts, rotations: ROTATIONS, lateRejected: late.rejected, complaints: system.complaints() };
  } finally {
    await system.stop();
  }
}

export function judgeRotations(run: RotationRun): Check[] {
  const none = (count: number): string[] => (count === 0 ? [] : [String(count)]);
  const some = (count: number): string[] => (count > 0 ? [] : ['none was']);
  return [
    { sentence: `no valid state is refused through ${run.rotations} rotations`, against: none(run.rejected) },
    { sentence: 'every flow through rotations comes to its result', against: [...new Set(run.unfinished)] },
    {
      sentence: 'every key sealed, and flows went on under the next',
      against: run.sealingKeys === run.rotations + 1 && run.crossed > 0 ? [] : [`${run.sealingKeys} keys`],
    },
    { sentence: 'when one router learns of a key too late, refused states are found', against: some(run.lateRejected) },
    { sentence: 'no process logs a mistake while keys rotate', against: run.complaints },
  ];
}

async function during(load: TwoRoundLoad, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const ended = work().finally(() => (isOver = true));
  await Promise.all([load.run(() => !isOver), ended]);
}

class Rotation {
  private readonly delayMsMax: number;

  constructor(
    private readonly system: FaultSystem,
    private readonly random: SeededRandom,
    /** For so long a new key opens and does not seal. */
    private readonly leadMs: number,
    private readonly say: (line: string) => void,
  ) {
    this.delayMsMax = Math.floor(leadMs - KEYSET_POLL_MS - 2 * SKEW_MS - SLACK_MS);
    if (this.delayMsMax <= 0) throw new Error(`${leadMs} ms are too short for a key to wait`);
  }

  async inTime(): Promise<void> {
    const { random, system } = this;
    system.shiftClock(random.int(-SKEW_MS, SKEW_MS));
    const delaysMs = Array.from({ length: system.keysetCopies.count }, () => random.int(0, this.delayMsMax));
    const restMs = this.leadMs * (1 / LEAD_SHARE - 1);
    await this.rotate(delaysMs, restMs);
  }

  async late(): Promise<void> {
    this.system.shiftClock(0);
    const delaysMs = Array.from({ length: this.system.keysetCopies.count }, () => 0);
    delaysMs[delaysMs.length - 1] = this.leadMs + LATE_BY_MS;
    await this.rotate(delaysMs, LATE_BY_MS);
  }

  /** As an operator rotates, but in small: one write, and everything else follows from the clock. */
  private async rotate(delaysMs: readonly number[], restMs: number): Promise<void> {
    const { keys, keysetCopies } = this.system;
    if (!(await addKey(keys))) throw new Error('roundhouse-keys refused to add a key');
    const text = hastened(readFileSync(keys.keysetFile, 'utf8'), Date.now() + this.leadMs);
    writeFileSync(keys.keysetFile, text, { mode: 0o600 });
    this.say(`a new key reaches the routers after ${delaysMs.join(' and ')} ms and seals after ${this.leadMs} ms`);
    await Promise.all([keysetCopies.deliver(text, delaysMs), sleep(this.leadMs + restMs)]);
  }
}
