/** Drafts that can be deleted. The ledger is the truth: a draft is there until a line says that it was deleted. */
import type { Call } from '@roundhouse/worker-kit';
import { appendFirst, toLine } from '../../ledger/first-line.js';
import type { Ledger, LedgerLine } from '../../ledger/ledger.js';

export interface Draft {
  readonly id: string;
  readonly title: string;
  /** Subject of the principal whose draft it is; `*`: everyone's. */
  readonly owner: string;
}

export const SEEDED_DRAFTS: readonly Draft[] = [
  { id: 'welcome', title: 'Welcome letter', owner: '*' },
  { id: 'timetable', title: 'Winter timetable', owner: '*' },
  { id: 'circular', title: 'Circular on lamp oil', owner: '*' },
  { id: 'memo', title: 'Memo to the board', owner: 'stationmaster' },
];

export class Drafts {
  constructor(
    private readonly ledger: Ledger,
    private readonly drafts: readonly Draft[] = SEEDED_DRAFTS,
  ) {}

  /** Undefined when there is none, and just so when it is another's. */
  async find(id: string, { principal }: Pick<Call, 'principal'>): Promise<Draft | undefined> {
    const subject = principal.kind === 'user' ? principal.subject : undefined;
    const draft = this.drafts.find((each) => each.id === id && (each.owner === '*' || each.owner === subject));
    const deleted = (await this.ledger.read()).map(draftOf);
    return draft === undefined || deleted.includes(draft.id) ? undefined : draft;
  }

  /** False when another call was first. */
  async delete({ id }: Draft, call: Pick<Call, 'flowId' | 'idempotencyKey'>): Promise<boolean> {
    return appendFirst(this.ledger, toLine(call, { draft: id }), draftOf);
  }
}

function draftOf(line: LedgerLine): string | undefined {
  return line['draft'] as string | undefined;
}
