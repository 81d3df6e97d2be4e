/**
 * Draws that a seed decides. The same seed gives the same plan of faults and of load; which request is where when a
 * fault strikes is the machine's own doing.
 */
export class SeededRandom {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** A generator of its own for one part, so that what one part draws does not depend on how often another did. */
  fork(part: number): SeededRandom {
    return new SeededRandom(Math.imul(this.seed ^ Math.imul(part + 1, 0x9e3779b1), 0x85ebca6b));
  }

  /** From 0 up to 1; the mixing steps of SplitMix32. */
  next(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let mixed = this.state ^ (this.state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** From `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly [T, ...T[]]): T;
  pick<T>(from: readonly T[]): T | undefined;
  pick<T>(from: readonly T[]): T | undefined {
    return from[this.int(0, from.length - 1)];
  }

  shuffled<T>(from: readonly T[]): T[] {
    const deck = from.map((item) => ({ item, place: this.next() }));
    return deck.sort((a, b) => a.place - b.place).map(({ item }) => item);
  }
}
