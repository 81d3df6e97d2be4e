/**
 * Strikes and heals while the load runs, as a seeded generator draws: each fault alone first when there is time for it,
 * then on two lanes at once, so that they meet in pairs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Scene } from './faults.js';
import type { History } from './history.js';

const PAUSE_MS = [300, 1_200] as const;
/** A restart or a promotion after the fault itself. */
const HEAL_ALLOWANCE_MS = 3_000;
const LONG_MS = 5_000;
/** Each fault alone takes less than this on average, and then there are as many pairs. */
const TIME_FOR_EACH_MS = 12_000;

/** Otherwise some are left out, and all come in pairs from the start. */
export function isTimeForAll(faults: readonly Fault[], loadMs: number): boolean {
  return loadMs >= faults.length * TIME_FOR_EACH_MS;
}

export class Nemesis {
  private deck: Fault[] = [];

  constructor(
    private readonly faults: readonly Fault[],
    private readonly scene: Scene,
    private readonly history: History,
  ) {}

  /** Everything is healed when it resolves, some time before `untilMs` or a little later. */
  async run(untilMs: number): Promise<void> {
    const hasTime = isTimeForAll(this.faults, untilMs - this.history.nowMs());
    if (hasTime) for (const fault of this.scene.random.shuffled(this.faults)) await this.play(fault, this.scene);
    await Promise.all([this.lane(1, untilMs), this.lane(2, untilMs)]);
  }

  private async lane(number: number, untilMs: number): Promise<void> {
    const scene = { ...this.scene, random: this.scene.random.fork(number) };
    for (;;) {
      await sleep(scene.random.int(...PAUSE_MS));
      const fault = this.draw(untilMs - this.history.nowMs() - HEAL_ALLOWANCE_MS);
      if (fault === undefined) return;
      await this.play(fault, scene);
    }
  }

  /** Each fault once before any comes again. What takes long comes first, or it would never fit into a short run. */
  private draw(withinMs: number): Fault | undefined {
    const fits = ({ lastsMs: [, max] }: Fault): boolean => max <= withinMs;
    if (!this.deck.some(fits)) {
      const isLong = ({ lastsMs: [min] }: Fault): boolean => min > LONG_MS;
      const deck = this.scene.random.shuffled(this.faults);
      this.deck = [...deck.filter(isLong), ...deck.filter((fault) => !isLong(fault))];
    }
    const at = this.deck.findIndex(fits);
    return at === -1 ? undefined : this.deck.splice(at, 1)[0];
  }

  private async play(fault: Fault, scene: Scene): Promise<void> {
    const startedMs = this.history.nowMs();
    const lastsMs = scene.random.int(...fault.lastsMs);
    const struck = await fault.strike(scene);
    if (struck === undefined) return;
    await sleep(lastsMs);
    await struck.heal();
    const { victim } = struck;
    this.history.add({ kind: 'fault', fault: fault.name, victim, startedMs, endedMs: this.history.nowMs() });
  }
}
