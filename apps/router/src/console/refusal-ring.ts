/** The last refusals, by code and private reason. Nothing in it came from a caller: names are those of the catalogue. */
import type { Blame, ErrorCode, Reason } from '@roundhouse/errors';

export const REFUSALS_KEPT = 100;

export interface Refusal {
  /** RFC 3339 in UTC. */
  readonly time: string;
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly blame: Blame;
  /** Undefined when the request was refused before it was understood. */
  readonly method: string | undefined;
  /** Tool or prompt, when the catalogue knows it. */
  readonly name: string | undefined;
}

/** As it is noted: a flood has many, and nobody may ever read them. */
export interface NotedRefusal extends Omit<Refusal, 'time'> {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

export class RefusalRing {
  private readonly kept: NotedRefusal[] = [];
  private next = 0;

  add(refusal: NotedRefusal): void {
    this.kept[this.next] = refusal;
    this.next = (this.next + 1) % REFUSALS_KEPT;
  }

  /** Latest first. */
  read(): Refusal[] {
    const inOrder = [...this.kept.slice(this.next), ...this.kept.slice(0, this.next)];
    return inOrder.reverse().map(({ atMs, ...rest }) => ({ time: new Date(atMs).toISOString(), ...rest }));
  }
}
