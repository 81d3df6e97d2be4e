/**
 * Lets one of several replicas win without a lock: each appends its line, and of all lines that want the same thing the
 * first one has it.
 */
import { randomUUID } from 'node:crypto';
import type { Ledger, LedgerLine } from './ledger.js';

/** Whose confirmation a line carries out: the round that was confirmed, or the flow where nothing was claimed. */
export function confirmationOf({
  idempotencyKey,
  flowId,
}: {
  readonly idempotencyKey?: string | undefined;
  readonly flowId: string;
}): string {
  return idempotencyKey ?? `flow:${flowId}`;
}

/** What one thing is being claimed: lines with the same text are rivals. */
export type RivalryOf = (line: LedgerLine) => string | undefined;

/** True when the thing is ours: by this line, or by an earlier one of the same confirmation. */
export async function appendFirst(ledger: Ledger, line: LedgerLine, rivalryOf: RivalryOf): Promise<boolean> {
  const first = (lines: readonly LedgerLine[]) => lines.find((each) => rivalryOf(each) === rivalryOf(line));
  const before = first(await ledger.read());
  if (before !== undefined) return confirmationOf(before) === confirmationOf(line);
  const entry = randomUUID();
  await ledger.append({ ...line, entry });
  const winner = first(await ledger.read());
  return winner?.['entry'] === entry || (winner !== undefined && confirmationOf(winner) === confirmationOf(line));
}

/** The members every line has, from the call that does it. */
export function toLine(
  { flowId, idempotencyKey }: { readonly flowId: string; readonly idempotencyKey?: string | undefined },
  rest: Readonly<Record<string, unknown>>,
): LedgerLine {
  return { at: new Date().toISOString(), flowId, ...(idempotencyKey && { idempotencyKey }), ...rest };
}
