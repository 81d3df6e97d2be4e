/**
 * Calls of older clients under way in this router, by the id that their client gave them, so that it can cancel them.
 * In slots that are cleared, and not in a Map: see `PendingTable` for what a Map of calls costs (16 µs a call here).
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { RequestId } from '@roundhouse/protocol';
import type { BridgedCall } from './bridged-call.js';

/** Of one session: a few, so that looking through all of them is quicker than a table. */
class SessionCalls {
  count = 0;
  private readonly ids: (RequestId | undefined)[] = [];
  private readonly calls: (BridgedCall | undefined)[] = [];

  /** The slot; undefined when there is one with this id already. */
  add(id: RequestId, call: BridgedCall): number | undefined {
    if (this.ids.includes(id)) return undefined;
    const free = this.ids.indexOf(undefined);
    const slot = free < 0 ? this.ids.length : free;
    this.ids[slot] = id;
    this.calls[slot] = call;
    this.count += 1;
    return slot;
  }

  find(id: RequestId): BridgedCall | undefined {
    return this.calls[this.ids.indexOf(id)];
  }

  delete(slot: number): void {
    this.ids[slot] = undefined;
    this.calls[slot] = undefined;
    this.count -= 1;
  }
}

export class RunningCalls {
  private readonly bySession = new Map<string, SessionCalls>();
  private count = 0;
  private whenIdle: (() => void) | undefined;

  constructor(private readonly perSessionMax: number) {}

  get size(): number {
    return this.count;
  }

  /** @throws RoundhouseError `request_repeated` or `overloaded`. The function returned must be called once. */
  enter(sid: string, id: RequestId, call: BridgedCall): () => void {
    const known = this.bySession.get(sid);
    if (known !== undefined && known.count >= this.perSessionMax)
      throw new RoundhouseError('overloaded', { reason: 'limit_reached', retryAfterS: 1 });
    const calls = known ?? new SessionCalls();
    const slot = calls.add(id, call);
    if (slot === undefined) throw new RoundhouseError('request_repeated');
    if (known === undefined) this.bySession.set(sid, calls);
    this.count += 1;
    return () => this.leave(sid, calls, slot);
  }

  /** Whether it was running here. */
  cancel(sid: string, id: RequestId): boolean {
    const call = this.bySession.get(sid)?.find(id);
    call?.cancel();
    return call !== undefined;
  }

  async idle(): Promise<void> {
    if (this.count === 0) return;
    await new Promise<void>((resolve) => {
      this.whenIdle = resolve;
    });
  }

  private leave(sid: string, calls: SessionCalls, slot: number): void {
    calls.delete(slot);
    if (calls.count === 0) this.bySession.delete(sid);
    this.count -= 1;
    if (this.count === 0) this.whenIdle?.();
  }
}
