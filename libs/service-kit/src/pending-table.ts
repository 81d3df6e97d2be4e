/**
 * Things under way, by number. A Map or Set that sees one insertion and one deletion per request replaces its backing
 * store every few dozen of them, and a replaced store in the old generation keeps everything it ever held alive until
 * the next full collection: about 10 KB a call and a sixth of the router's CPU. Here slots are reused and cleared.
 *
 * A number is never given out twice, so what comes late for one that is gone cannot reach another.
 */
const CAPACITY_FIRST = 256;

export class PendingTable<T> {
  private capacity = CAPACITY_FIRST;
  private ids: number[] = emptySlots(CAPACITY_FIRST, -1);
  private values_: (T | undefined)[] = emptySlots(CAPACITY_FIRST, undefined);
  private last = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The number under which the value is found until it is deleted. */
  add(value: T): number {
    if (this.count * 2 >= this.capacity) this.grow();
    let id = this.last + 1;
    // At least half of the slots are free, so a free one comes soon.
    while (this.ids[id % this.capacity] !== -1) id += 1;
    const slot = id % this.capacity;
    this.ids[slot] = id;
    this.values_[slot] = value;
    this.last = id;
    this.count += 1;
    return id;
  }

  get(id: number): T | undefined {
    const slot = id % this.capacity;
    return this.ids[slot] === id ? this.values_[slot] : undefined;
  }

  delete(id: number): boolean {
    const slot = id % this.capacity;
    if (this.ids[slot] !== id) return false;
    this.ids[slot] = -1;
    this.values_[slot] = undefined;
    this.count -= 1;
    return true;
  }

  /** What is under way now; deleting while iterating is allowed. */
  values(): T[] {
    return this.values_.filter((_value, slot) => this.ids[slot] !== -1) as T[];
  }

  clear(): void {
    this.ids.fill(-1);
    this.values_.fill(undefined);
    this.count = 0;
  }

  /** Numbers that differ modulo a capacity differ modulo twice of it: nothing collides. */
  private grow(): void {
    const { ids, values_ } = this;
    this.capacity *= 2;
    this.ids = emptySlots(this.capacity, -1);
    this.values_ = emptySlots(this.capacity, undefined);
    for (const [slot, id] of ids.entries()) {
      if (id === -1) continue;
      this.ids[id % this.capacity] = id;
      this.values_[id % this.capacity] = values_[slot];
    }
  }
}

function emptySlots<V>(count: number, empty: V): V[] {
  return new Array<V>(count).fill(empty);
}
