/**
 * Lets the process go down politely: attempts that wait for a twin are answered at once, so that their routers ask
 * another replica, and answers under way are written before the transport cuts its connections.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutcomeWaiters } from './outcome-waiters.js';

export class ReplayDrain {
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(private readonly waiters: Pick<OutcomeWaiters, 'stop'>) {}

  track<T>(work: Promise<T>): Promise<T> {
    this.underWay.add(work);
    const forget = (): void => void this.underWay.delete(work);
    void work.then(forget, forget);
    return work;
  }

  begin(): void {
    this.waiters.stop();
  }

  /** Resolves when no operation runs and the last answer has reached its socket: that takes the transport one turn. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
    await nextTurn();
    await nextTurn();
  }
}
