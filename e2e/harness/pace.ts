/**
 * Begins work at a rate, whatever becomes of it: what a timer on a busy machine missed is begun as soon as it comes again,
 * so that the load never waits for the system that it is put on.
 */

/** Below the distance of any two turns that are worth telling apart. */
const LOOK_EVERY_MS = 5;

export class Pace {
  private timer: NodeJS.Timeout | undefined;
  private begun = 0;

  /** @param begin hears the number of its turn, from 0 */
  constructor(
    private readonly perSecond: number,
    private readonly begin: (turn: number) => void,
  ) {}

  start(): void {
    const startMs = performance.now();
    this.timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startMs) * this.perSecond) / 1_000);
      while (this.begun < due) {
        this.begin(this.begun);
        this.begun += 1;
      }
    }, LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
