/** Which routers are sent to: those that say they are ready, asked over and over as an ingress and a Service do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessSeat } from './process-seat.js';
import { sendRaw } from './raw-client.js';

const ASK_EVERY_MS = 50;
const ANSWER_WITHIN_MS = 1_000;

export class Rotation {
  private ready: readonly number[];
  private turn = 0;
  private stopped = false;
  private readonly asking: Promise<void>;

  /** @param onChange hears the ports of those that are ready */
  constructor(
    private readonly seats: readonly ProcessSeat[],
    private readonly onChange: (ports: readonly number[]) => void,
  ) {
    this.ready = seats.map(({ port }) => port);
    this.asking = this.ask();
  }

  /** The ready ones take turns. */
  nextPort(): number {
    this.turn += 1;
    return this.ready[this.turn % this.ready.length] ?? 0;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.asking;
  }

  private async ask(): Promise<void> {
    while (!this.stopped) {
      const areReady = await Promise.all(this.seats.map(isReady));
      this.ready = this.seats.filter((_, at) => areReady[at]).map(({ port }) => port);
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
