/**
 * Clients that start flows and present each nonce 1 to 50 times over all routers: some at once, some much later, most with
 * the same answer and some with another. Whatever they see goes into the history.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './fault-system.js';
import { WAYS, type History, type Way } from './history.js';
import { mint, present, type Answer, type RunOrder } from './presentation.js';
import type { SeededRandom } from './seeded-random.js';

/** Flows at the same time. */
const CLIENTS = 24;
/** Presentations of one nonce at the same time. */
const AT_ONCE_MAX = 8;
/** Beyond the longest call; whoever is asked and halted just now costs a client so much. */
const PATIENCE_MS = 2_500;
/** While nothing can be reached, a client asks again this often. */
const PAUSE_MS = 80;
/** Nonces that somebody may still remember and send again. */
const REMEMBERED_MAX = 2_000;

const SHARE = { sameAnswer: 0.85, remembered: 0.3, leaves: 0.05 } as const;
/** How long runs take: most are quick, and some give a fault time to strike in the middle. */
const RUN_MS = [0, 0, 2, 5, 10, 30, 100, 300] as const;
/** Upper ends of how often a nonce is presented, drawn evenly: 1 to 50, few of them often. */
const PRESENTED_MAX = [1, 2, 2, 3, 3, 4, 4, 6, 8, 50] as const;

export interface OpenNonce extends RunOrder {
  readonly state: string;
  /** The answer most presentations give. */
  readonly way: Way;
}

export class Load {
  /** Part of the answers that are cut on their way; a fault raises it. */
  cutShare = 0.05;
  readonly nonces: OpenNonce[] = [];
  /** Emits a router's name as a presentation is sent to it. */
  readonly sent = new EventEmitter();
  private count = 0;

  constructor(
    private readonly targets: readonly Target[],
    private readonly history: History,
    private readonly random: SeededRandom,
  ) {}

  async run(untilMs: number): Promise<void> {
    const clients = Array.from({ length: CLIENTS }, (_, at) => this.client(this.random.fork(at), untilMs));
    await Promise.all(clients);
  }

  /** Presents it once, as it is recorded. */
  async attempt(nonce: OpenNonce, way: Way, draw: { random: SeededRandom; patient?: boolean }): Promise<Answer> {
    const { random, patient = false } = draw;
    const target = this.targetOf(random);
    const isCut = !patient && random.chance(this.cutShare);
    const leavesAfterMs = !patient && random.chance(SHARE.leaves) ? random.int(0, 50) : undefined;
    const port = isCut ? target.wire.port : target.port;
    const sentMs = this.history.nowMs();
    const answered = present(
      { ...nonce, way },
      { port, withinMs: patient ? 4 * PATIENCE_MS : PATIENCE_MS, leavesAfterMs },
    );
    this.sent.emit(target.name);
    const answer = await answered;
    const endedMs = this.history.nowMs();
    this.history.add({ kind: 'presented', nonce: nonce.label, way, router: target.name, sentMs, endedMs, ...answer });
    return answer;
  }

  private async client(random: SeededRandom, untilMs: number): Promise<void> {
    while (this.history.nowMs() < untilMs) {
      const nonce = await this.start(random);
      if (nonce === undefined) {
        await sleep(PAUSE_MS);
        continue;
      }
      await this.presentAll(nonce, random);
      if (random.chance(SHARE.remembered)) await this.presentRemembered(random);
    }
  }

  private async start(random: SeededRandom): Promise<OpenNonce | undefined> {
    this.count += 1;
    const order = { label: `n${this.count}`, ms: random.pick(RUN_MS) };
    const { name, port } = this.targetOf(random);
    const sentMs = this.history.nowMs();
    const state = await mint(order, { port, withinMs: PATIENCE_MS });
    if (state === undefined) return undefined;
    this.history.add({ kind: 'minted', nonce: order.label, router: name, sentMs, endedMs: this.history.nowMs() });
    const nonce = { ...order, state, way: random.pick(WAYS.slice(0, 2) as [Way, Way]) };
    this.nonces.push(nonce);
    return nonce;
  }

  private async presentAll(nonce: OpenNonce, random: SeededRandom): Promise<void> {
    for (let left = random.int(1, random.pick(PRESENTED_MAX)); left > 0;) {
      const burst = Math.min(left, random.int(1, AT_ONCE_MAX));
      left -= burst;
      const answers = await Promise.all(
        Array.from({ length: burst }, () => this.attempt(nonce, this.wayOf(nonce, random), { random })),
      );
      if (answers.every(({ answer }) => answer === 'later' || answer === 'lost')) await sleep(PAUSE_MS);
    }
  }

  /** As somebody does who comes back to an old window. */
  private async presentRemembered(random: SeededRandom): Promise<void> {
    const old = random.pick(this.nonces.slice(-REMEMBERED_MAX));
    if (old !== undefined) await this.attempt(old, this.wayOf(old, random), { random });
  }

  private wayOf({ way }: OpenNonce, random: SeededRandom): Way {
    return random.chance(SHARE.sameAnswer) ? way : random.pick(WAYS);
  }

  /** A load balancer knows who is not ready yet, but not who has just died or hangs. */
  private targetOf(random: SeededRandom): Target {
    const ready = this.targets.filter(({ victim }) => !victim.isStarting);
    const target = random.pick(ready.length > 0 ? ready : this.targets);
    if (target === undefined) throw new Error('a load needs a router');
    return target;
  }
}
