/** How often something happened in each of the last sixty seconds. One addition a time, no timer. */

export const SECONDS_KEPT = 60;

export class SecondCounts {
  private readonly counts = new Array<number>(SECONDS_KEPT).fill(0);
  private second: number;

  /** Milliseconds of any clock that only goes forward. */
  constructor(private readonly nowMs: () => number) {
    this.second = Math.floor(nowMs() / 1_000);
  }

  add(): void {
    this.forget();
    const slot = this.second % SECONDS_KEPT;
    this.counts[slot] = (this.counts[slot] ?? 0) + 1;
  }

  /** Oldest first; the last one is the second that is not over yet. */
  read(): number[] {
    this.forget();
    const next = (this.second % SECONDS_KEPT) + 1;
    return [...this.counts.slice(next), ...this.counts.slice(0, next)];
  }

  /** Empties the slots of the seconds that passed since the last look. */
  private forget(): void {
    const second = Math.floor(this.nowMs() / 1_000);
    const passed = Math.min(SECONDS_KEPT, second - this.second);
    for (let n = 0; n < passed; n += 1) this.counts[(second - n) % SECONDS_KEPT] = 0;
    this.second = Math.max(second, this.second);
  }
}
