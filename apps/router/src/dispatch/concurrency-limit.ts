/**
 * How many calls one worker process gets from this router at once: as many as it says it can run. It is taken down when the
 * worker turns calls away, as it does while other routers fill it, and grows back while it is used up. For a worker that
 * says nothing the same rule looks for a limit, and calls that took too long take it down as well.
 */

/** For a worker that does not say: where the search begins, and where it ends. */
export const UNTOLD_FIRST = 64;
export const UNTOLD_MAX = 1_000;
const INCREASE = 0.1;
const DECREASE = 0.7;
/** One slow tool must not leave a worker's others without a place. */
const UNTOLD_MIN = 8;

export class ConcurrencyLimit {
  /** Compared for every call. */
  max = UNTOLD_FIRST;
  private ceiling = UNTOLD_MAX;
  private isTold = false;
  private grown = 0;

  /** What the worker says; undefined when it does not. Said again, nothing changes. */
  tell(callsMax: number | undefined): void {
    const isTold = callsMax !== undefined;
    const ceiling = callsMax ?? UNTOLD_MAX;
    if (isTold === this.isTold && ceiling === this.ceiling) return;
    this.isTold = isTold;
    this.ceiling = ceiling;
    this.max = callsMax ?? UNTOLD_FIRST;
    this.grown = 0;
  }

  /** A tenth more, one at least, each time that as many calls as it allows were served at it. */
  succeeded(inFlight: number): void {
    if (this.max >= this.ceiling || inFlight < this.max) return;
    this.grown += 1;
    if (this.grown < this.max) return;
    this.grown = 0;
    this.max = Math.min(this.ceiling, this.max + Math.ceil(this.max * INCREASE));
  }

  /** `inFlight` with the call that was turned away. */
  turnedAway(inFlight: number): void {
    this.max = Math.max(1, Math.min(this.max, inFlight - 1));
    this.grown = 0;
  }

  tookTooLong(): void {
    if (this.isTold) return;
    this.max = Math.max(UNTOLD_MIN, Math.floor(this.max * DECREASE));
    this.grown = 0;
  }
}
