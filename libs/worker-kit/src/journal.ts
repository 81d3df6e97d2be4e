/**
 * What a flow has behind it: its steps with their results, its asks with the answers that were used. It travels as the
 * continuation; the router seals it, so its text is trusted, but it may come from a worker of another release.
 *
 * Entries are in the order in which the method reached them. The n-th time a key is asked is the n-th entry with that
 * key, and an entry keeps its own answer: a later answer under the same key cannot change what was decided before.
 */
import { z } from 'zod';
import type { Answer } from '@roundhouse/contracts';

const JOURNAL_VERSION = 1;

const askedSchema = z.object({
  key: z.string(),
  /** SHA-256 of the canonical ask: an answer counts only for the exact question. */
  digest: z.string(),
  /** Absent while the question is open. */
  answer: z.record(z.string(), z.unknown()).optional(),
});

const entrySchema = z.union([
  z.object({ asked: z.array(askedSchema).min(1) }),
  z.object({ step: z.string(), result: z.unknown() }),
  /** `failure`: the message of a `ToolFailure`, null for any other error. */
  z.object({ step: z.string(), failure: z.string().nullable() }),
]);

const journalSchema = z.object({ v: z.literal(JOURNAL_VERSION), entries: z.array(entrySchema) });

export interface AskedQuestion {
  readonly key: string;
  readonly digest: string;
  answer?: Answer;
}
export interface AskEntry {
  readonly asked: readonly AskedQuestion[];
}
export type StepEntry =
  { readonly step: string; readonly result: unknown } | { readonly step: string; readonly failure: string | null };
export type JournalEntry = AskEntry | StepEntry;

export class Journal {
  private position = 0;

  private constructor(private readonly entries: JournalEntry[]) {}

  /** Undefined when the text is no journal of this release. */
  static parse(continuation: string | undefined): Journal | undefined {
    if (continuation === undefined) return new Journal([]);
    const parsed = journalSchema.safeParse(parseJson(continuation));
    return parsed.success ? new Journal(parsed.data.entries) : undefined;
  }

  /** The entry written at this place of the method in an earlier run; undefined at the end of what is known. */
  next(): JournalEntry | undefined {
    return this.entries[this.position++];
  }

  add(entry: JournalEntry): void {
    this.entries.push(entry);
    this.position = this.entries.length;
  }

  toText(): string {
    return JSON.stringify({ v: JOURNAL_VERSION, entries: this.entries });
  }

  /** What takes most room, for the log: a step's result, or the answers to one ask. */
  largestEntry(): { readonly what: string; readonly bytes: number } | undefined {
    const sizes = this.entries.map((entry) => ({
      what: nameOf(entry),
      bytes: Buffer.byteLength(JSON.stringify(entry)),
    }));
    return sizes.sort((a, b) => b.bytes - a.bytes)[0];
  }
}

function nameOf(entry: JournalEntry): string {
  return 'step' in entry ? `step "${entry.step}"` : `ask "${entry.asked.map(({ key }) => key).join('", "')}"`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
