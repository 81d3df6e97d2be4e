/**
 * A bounded queue in which everybody who waits has a turn: one lane for each, served in rounds. When it is full, the lane
 * with the most gives up its newest, so that whoever sends much makes way for whoever sends little.
 */
export class FairQueue<T> {
  /** In the order of turns: a map keeps the order of insertion. */
  private readonly lanes = new Map<string, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** What had to make way, `item` itself where its own lane is the longest. Undefined when there was room. */
  push(lane: string, item: T, sizeMax: number): T | undefined {
    const mine = this.lanes.get(lane);
    let displaced: T | undefined;
    if (this.count >= sizeMax) {
      const longest = this.longestLane();
      if (longest === undefined || longest[1].length <= (mine?.length ?? 0) + 1) return item;
      displaced = longest[1].at(-1) as T;
      this.remove(longest[0], displaced);
    }
    if (mine === undefined) this.lanes.set(lane, [item]);
    else mine.push(item);
    this.count += 1;
    return displaced;
  }

  /**
   * Gives the next of each lane, in turns, until `accept` takes none of `triesMax` in a row or nobody waits. A lane whose
   * item was taken goes to the end.
   */
  serve(accept: (item: T) => boolean, triesMax: number): void {
    let refused = 0;
    while (refused < triesMax) {
      const turn = this.laneAt(refused);
      if (turn === undefined) return;
      const [lane, items] = turn;
      const item = items[0] as T;
      if (!accept(item)) {
        refused += 1;
        continue;
      }
      refused = 0;
      this.remove(lane, item);
      if (!this.lanes.delete(lane)) continue;
      this.lanes.set(lane, items);
    }
  }

  remove(lane: string, item: T): void {
    const items = this.lanes.get(lane);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at === -1) return;
    items.splice(at, 1);
    this.count -= 1;
    if (items.length === 0) this.lanes.delete(lane);
  }

  private laneAt(at: number): [string, T[]] | undefined {
    let passed = 0;
    for (const lane of this.lanes) {
      if (passed === at) return lane;
      passed += 1;
    }
    return undefined;
  }

  private longestLane(): [string, T[]] | undefined {
    let longest: [string, T[]] | undefined;
    for (const lane of this.lanes) if (longest === undefined || lane[1].length > longest[1].length) longest = lane;
    return longest;
  }
}
