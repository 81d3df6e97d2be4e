/** Waiting that has a limit, and that whoever is in a hurry can end. */
export class Patience {
  private isOver = false;
  private readonly waiting = new Set<() => void>();

  /** Resolves when the work is done, or the time is over, or patience is. Never rejects: whoever waits goes on anyway. */
  async wait(limitMs: number, work: Promise<unknown> = new Promise(() => undefined)): Promise<void> {
    if (limitMs <= 0 || this.isOver) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      const go = (): void => {
        clearTimeout(timer);
        this.waiting.delete(go);
        resolve();
      };
      this.waiting.add(go);
      work.then(go, go);
    });
  }

  end(): void {
    this.isOver = true;
    for (const go of [...this.waiting]) go();
  }
}
