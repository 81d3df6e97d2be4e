/** Held texts in the memory of one process, each until its time is over. How much may be held is for the store to say. */
import type { HoldRequest } from '@roundhouse/contracts';

interface Held {
  readonly text: string;
  readonly expiresMs: number;
}

export class HeldTexts {
  private readonly held = new Map<string, Held>();
  private heldChars = 0;

  get chars(): number {
    return this.heldChars;
  }

  hold({ handle, text, retainMs }: HoldRequest, nowMs: number): void {
    this.forget(handle);
    this.held.set(handle, { text, expiresMs: nowMs + retainMs });
    this.heldChars += text.length;
  }

  recall(handle: string, nowMs: number): string | undefined {
    const held = this.held.get(handle);
    if (held !== undefined && held.expiresMs <= nowMs) this.forget(handle);
    return this.held.get(handle)?.text;
  }

  sweep(nowMs: number): void {
    for (const [handle, { expiresMs }] of this.held) if (expiresMs <= nowMs) this.forget(handle);
  }

  clear(): void {
    this.held.clear();
    this.heldChars = 0;
  }

  private forget(handle: string): void {
    this.heldChars -= this.held.get(handle)?.text.length ?? 0;
    this.held.delete(handle);
  }
}
