/**
 * Progress of a call that takes several rounds: each round counts from its own beginning, the client sees one series that
 * only rises (K-35).
 */
import { isJsonObject } from '@roundhouse/protocol';

const PROGRESS = '"method":"notifications/progress"';

export class ProgressSeries {
  private base = 0;
  private last = 0;
  private hasBase = false;

  /** What follows counts on from here. */
  nextRound(): void {
    this.base = this.last;
    this.hasBase = this.base > 0;
  }

  /** The notification as it is sent; others pass as they are. */
  shift(notification: string): string {
    if (!notification.includes(PROGRESS)) return notification;
    const message = JSON.parse(notification) as { method: string; params: unknown };
    const { params } = message;
    if (message.method !== 'notifications/progress' || !isJsonObject(params)) return notification;
    const progress = this.base + Number(params['progress']);
    this.last = Math.max(this.last, progress);
    if (!this.hasBase) return notification;
    const { total } = params;
    const shifted = { ...params, progress, ...(typeof total === 'number' && { total: this.base + total }) };
    return JSON.stringify({ ...message, params: shifted });
  }
}
