/**
 * Lets the process go down politely: attempts that wait for a twin are answered at once, so that their routers ask
 * another replica, and answers under way are written before the transport cuts its connections. No new claim is made
 * meanwhile: one whose answer is cut off would keep its flow waiting for a call that nobody runs.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RoundhouseError } from '@roundhouse/errors';
import type { OutcomeWaiters } from './outcome-waiters.js';

export class ReplayDrain {
  private underWay = 0;
  private whenNoneIs: (() => void) | undefined;
  private isGoing = false;

  constructor(private readonly waiters: Pick<OutcomeWaiters, 'stop'>) {}

  /** Counts and keeps nothing: see `PendingTable` for what a Set of what is under way costs. */
  track<T>(work: Promise<T>): Promise<T> {
    this.underWay += 1;
    void work.then(this.ended, this.ended);
    return work;
  }

  /** @throws RoundhouseError `draining` once the process is on its way out */
  assertStaying(): void {
    if (this.isGoing) throw new RoundhouseError('draining');
  }

  begin(): void {
    this.isGoing = true;
    this.waiters.stop();
  }

  /** Resolves when no operation runs and the last answer has reached its socket: that takes the transport one turn. */
  async idle(): Promise<void> {
    while (this.underWay > 0) await new Promise<void>((resolve) => (this.whenNoneIs = resolve));
    await nextTurn();
    await nextTurn();
  }

  private readonly ended = (): void => {
    this.underWay -= 1;
    if (this.underWay === 0) this.whenNoneIs?.();
  };
}
