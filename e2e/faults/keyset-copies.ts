/**
 * A copy of the keyset for each router, as each pod has a mounted Secret of its own: what an operator writes arrives at
 * each after a delay of its own, and always whole.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export class KeysetCopies {
  /** One path for each router. */
  constructor(private readonly files: readonly string[]) {}

  get count(): number {
    return this.files.length;
  }

  /** Resolves when the last one has it; delays in milliseconds, one for each copy. */
  async deliver(text: string, delaysMs: readonly number[]): Promise<void> {
    await Promise.all(
      this.files.map(async (file, at) => {
        await sleep(delaysMs[at] ?? 0);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(`${file}.draft`, text, { mode: 0o600 });
        renameSync(`${file}.draft`, file);
      }),
    );
  }
}

interface KeyText {
  readonly kid: string;
  readonly activateAt: string;
}

/**
 * The keyset with its newest key activated in `leadMs` instead of ten minutes: the times of the plan in small. Only who
 * says `emergency` may activate so early.
 */
export function hastened(text: string, activateAtMs: number): string {
  const keyset = JSON.parse(text) as { keys: KeyText[] };
  const newest = keyset.keys.reduce((last, key) => (key.activateAt > last.activateAt ? key : last));
  const activateAt = new Date(activateAtMs).toISOString();
  const keys = keyset.keys.map((key) => {
    if (key === newest) return { ...key, activateAt, emergency: true };
    // Its predecessor retires when it takes over.
    return 'retireAt' in key && key.retireAt === newest.activateAt ? { ...key, retireAt: activateAt } : key;
  });
  return `${JSON.stringify({ ...keyset, keys }, undefined, 2)}\n`;
}
