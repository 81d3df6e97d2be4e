/**
 * Lets the process go down politely: attempts that wait for a twin are answered at once, so that their routers ask
 * another replica, and answers under way are written before the transport cuts its connections. No new claim is made
 * meanwhile: one whose answer is cut off would keep its flow waiting for a call that nobody runs.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RoundhouseError } from '@roundhouse/errors';
import type { OutcomeWaiters } from './outcome-waiters.js';

export class ReplayDrain {
  private readonly underWay = new Set<Promise<unknown>>();
  private isGoing = false;

  constructor(private readonly waiters: Pick<OutcomeWaiters, 'stop'>) {}

  track<T>(work: Promise<T>): Promise<T> {
    this.underWay.add(work);
    const forget = (): void => void this.underWay.delete(work);
    void work.then(forget, forget);
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
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
    await nextTurn();
    await nextTurn();
  }
}
