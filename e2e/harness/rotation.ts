/** Which routers are sent to: those that say they are ready, asked over and over as an ingress and a Service do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessSeat } from './process-seat.js';
import { sendRaw } from './raw-client.js';

const ASK_EVERY_MS = 50;
const ANSWER_WITHIN_MS = 1_000;

export class Rotation {
  private readonly unready = new Set<ProcessSeat>();
  private turn = 0;
  private stopped = false;
  private readonly asking: readonly Promise<void>[];

  /** @param onChange hears the ports of those that are ready */
  constructor(
    private readonly seats: readonly ProcessSeat[],
    private readonly onChange: (ports: readonly number[]) => void,
  ) {
    // Each by itself: one that is slow to answer must not hide another.
    this.asking = seats.map((seat) => this.ask(seat));
  }

  /** The ready ones take turns. */
  nextPort(): number {
    const { ready } = this;
    this.turn += 1;
    return ready[this.turn % ready.length] ?? 0;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.asking);
  }

  private get ready(): readonly number[] {
    return this.seats.filter((seat) => !this.unready.has(seat)).map(({ port }) => port);
  }

  private async ask(seat: ProcessSeat): Promise<void> {
    while (!this.stopped) {
      if (await isReady(seat)) this.unready.delete(seat);
      else this.unready.add(seat);
      this.onChange(this.ready);
      await sleep(ASK_EVERY_MS);
    }
  }
}

function isReady({ adminPort: port }: ProcessSeat): Promise<boolean> {
  return sendRaw({ port, method: 'GET', path: '/readyz', withinMs: ANSWER_WITHIN_MS }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
