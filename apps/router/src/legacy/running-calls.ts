/** Calls of older clients under way in this router, by the id that their client gave them, so that it can cancel them. */
import { RoundhouseError } from '@roundhouse/errors';
import type { RequestId } from '@roundhouse/protocol';
import type { BridgedCall } from './bridged-call.js';

export class RunningCalls {
  private readonly bySession = new Map<string, Map<string, BridgedCall>>();
  private count = 0;
  private whenIdle: (() => void) | undefined;

  constructor(private readonly perSessionMax: number) {}

  get size(): number {
    return this.count;
  }

  /** @throws RoundhouseError `request_repeated` or `overloaded`. The function returned must be called once. */
  enter(sid: string, id: RequestId, call: BridgedCall): () => void {
    const calls = this.bySession.get(sid) ?? new Map<string, BridgedCall>();
    const key = JSON.stringify(id);
    if (calls.has(key)) throw new RoundhouseError('request_repeated');
    if (calls.size >= this.perSessionMax)
      throw new RoundhouseError('overloaded', { reason: 'limit_reached', retryAfterS: 1 });
    this.bySession.set(sid, calls.set(key, call));
    this.count += 1;
    return () => this.leave(sid, key, calls);
  }

  /** Whether it was running here. */
  cancel(sid: string, id: RequestId): boolean {
    const call = this.bySession.get(sid)?.get(JSON.stringify(id));
    call?.cancel();
    return call !== undefined;
  }

  async idle(): Promise<void> {
    if (this.count === 0) return;
    await new Promise<void>((resolve) => {
      this.whenIdle = resolve;
    });
  }

  private leave(sid: string, key: string, calls: Map<string, BridgedCall>): void {
    calls.delete(key);
    if (calls.size === 0) this.bySession.delete(sid);
    this.count -= 1;
    if (this.count === 0) this.whenIdle?.();
  }
}
