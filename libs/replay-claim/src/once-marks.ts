/** What was used once, in the memory of one process, each until its time is over. How many may be is for the store to say. */
import type { OnceRequest } from '@roundhouse/contracts';

interface Mark {
  readonly owner: string;
  readonly expiresMs: number;
}

export class OnceMarks {
  private readonly marks = new Map<string, Mark>();

  get size(): number {
    return this.marks.size;
  }

  has(id: string): boolean {
    return this.marks.has(id);
  }

  /** Whether the mark is this owner's, be it now or before. */
  mark({ id, owner, retainMs }: OnceRequest, nowMs: number): boolean {
    const known = this.marks.get(id);
    if (known !== undefined && known.expiresMs > nowMs) return known.owner === owner;
    this.marks.set(id, { owner, expiresMs: nowMs + retainMs });
    return true;
  }

  sweep(nowMs: number): void {
    for (const [id, { expiresMs }] of this.marks) if (expiresMs <= nowMs) this.marks.delete(id);
  }

  clear(): void {
    this.marks.clear();
  }
}
