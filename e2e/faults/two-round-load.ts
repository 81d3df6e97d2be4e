/**
 * Flows of two rounds over all routers, each round on a connection of its own and mostly at another router than the one
 * before. Some people answer at once, some think until keys have changed under them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { kidOf } from '../harness/flow.js';
import type { Target } from './fault-system.js';
import { mint, present, type Answer, type RunOrder } from './presentation.js';
import type { SeededRandom } from './seeded-random.js';

/** Between two flows that start; a hundred in two seconds leave the machine time for what is tested. */
const START_EVERY_MS = 20;
const OPEN_MAX = 2_000;
const WITHIN_MS = 10_000;
/** As `Retry-After` says. On a busy machine a replica does not always confirm in time, and then nothing is spent. */
const RETRY_AFTER_MS = 1_000;
const TRIES_MAX = 20;
const QUICK_MS = 30;
const OTHER_ROUTER = 0.75;

export class TwoRoundLoad {
  flows = 0;
  /** Valid states that a router refused. */
  rejected = 0;
  /** How flows ended that had neither a result nor a refusal. */
  readonly unfinished: string[] = [];
  /** Flows that were answered when another key sealed already. */
  crossed = 0;
  /** Keys that sealed a state, oldest first. */
  readonly kids = new Set<string>();
  private started = 0;

  constructor(
    private readonly name: string,
    private readonly targets: readonly Target[],
    private readonly random: SeededRandom,
    /** Longest time between question and answer. */
    private readonly thinkMsMax: number,
  ) {}

  /** Starts flows as long as it should and resolves when the last one has ended. */
  async run(goesOn: () => boolean): Promise<void> {
    const open = new Set<Promise<void>>();
    while (goesOn()) {
      const flow: Promise<void> = this.flow().finally(() => open.delete(flow));
      open.add(flow);
      await sleep(START_EVERY_MS);
      if (open.size >= OPEN_MAX) await Promise.race(open);
    }
    await Promise.all(open);
  }

  private async flow(): Promise<void> {
    const { random, targets } = this;
    this.started += 1;
    const order = { label: `${this.name}${this.started}`, ms: 0 };
    const [first, other = first] = random.shuffled(targets);
    const second = random.chance(OTHER_ROUTER) ? other : first;
    const thinkMs = random.chance(0.5) ? random.int(0, QUICK_MS) : random.int(0, this.thinkMsMax);
    const state = await this.begin(order, first?.port ?? 0);
    if (state === undefined) {
      this.unfinished.push('no question');
      return;
    }
    const kid = kidOf(state);
    this.kids.add(kid);
    await sleep(thinkMs);
    if ([...this.kids].at(-1) !== kid) this.crossed += 1;
    const { answer, note } = await this.answer({ ...order, state, port: second?.port ?? 0 });
    this.flows += 1;
    if (answer === 'refused') this.rejected += 1;
    else if (answer !== 'success') this.unfinished.push(`${answer}: ${note}`);
  }

  private async begin(order: RunOrder, port: number): Promise<string | undefined> {
    for (let tries = 1; ; tries += 1) {
      const state = await mint(order, { port, withinMs: WITHIN_MS });
      if (state !== undefined || tries === TRIES_MAX) return state;
      await sleep(RETRY_AFTER_MS);
    }
  }

  /** Whoever is told to come back later does so; nobody is refused later who was not refused at once. */
  private async answer({ port, ...flow }: RunOrder & { state: string; port: number }): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await present({ ...flow, way: 'left' }, { port, withinMs: WITHIN_MS });
      if ((answer.answer !== 'later' && answer.answer !== 'lost') || tries === TRIES_MAX) return answer;
      await sleep(RETRY_AFTER_MS);
    }
  }
}
