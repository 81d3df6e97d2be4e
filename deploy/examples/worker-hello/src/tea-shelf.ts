export class TeaShelf {
  private readonly cups = new Map([
    ['assam', 10],
    ['sencha', 4],
    ['rooibos', 0],
  ]);
  isOpen = true;

  inStock(): string[] {
    return [...this.cups].filter(([, left]) => left > 0).map(([tea]) => tea);
  }

  /** False when there are not that many cups left. */
  take(tea: string, cups: number): boolean {
    const left = (this.cups.get(tea) ?? 0) - cups;
    if (left < 0) return false;
    this.cups.set(tea, left);
    return true;
  }

  left(tea: string): number {
    return this.cups.get(tea) ?? 0;
  }
}
