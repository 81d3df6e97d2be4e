/**
 * Accounts and transfers between them. The ledger is the truth: a balance is the opening balance and every line that
 * counts. A line counts once per confirmation, and only when the money was there at its place in the ledger; so replicas
 * that share a ledger agree without a lock.
 */
import { randomUUID } from 'node:crypto';
import { confirmationOf } from '../../ledger/first-line.js';
import type { Ledger, LedgerLine } from '../../ledger/ledger.js';

export interface Account {
  readonly id: string;
  /** As a person reads it; its last four digits are what the payer must know. */
  readonly number: string;
  readonly holder: string;
  /** Subject of the principal who may pay from it; `*`: everyone. */
  readonly owner: string;
  readonly openingCents: number;
}

export interface TransferOrder {
  readonly from: string;
  readonly to: string;
  readonly cents: number;
  readonly method: string;
  readonly flowId: string;
  readonly idempotencyKey?: string | undefined;
}

export const SEEDED_ACCOUNTS: readonly Account[] = [
  { id: 'checking', number: '5500 1020 3040 1881', holder: 'You', owner: '*', openingCents: 500_000 },
  { id: 'savings', number: '5500 1020 3040 7312', holder: 'You', owner: '*', openingCents: 2_000_000 },
  { id: 'landlord', number: '7700 4411 2200 4711', holder: 'Roundhouse Lettings', owner: 'landlord', openingCents: 0 },
];

interface TransferLine extends LedgerLine {
  readonly transfer: string;
  readonly from: string;
  readonly to: string;
  readonly cents: number;
}

export class Bank {
  private readonly accounts: ReadonlyMap<string, Account>;

  constructor(
    accounts: readonly Account[],
    private readonly ledger: Ledger,
  ) {
    this.accounts = new Map(accounts.map((account) => [account.id, account]));
  }

  find(id: string): Account | undefined {
    return this.accounts.get(id);
  }

  /** The same confirmation delivered twice is one transfer, and both deliveries hear `done`. */
  async transfer(order: TransferOrder): Promise<'done' | 'insufficient'> {
    const before = this.fold(await this.ledger.read());
    if (before.confirmations.has(confirmationOf(order))) return 'done';
    if ((before.cents.get(order.from) ?? 0) < order.cents) return 'insufficient';
    const transfer = randomUUID();
    const { idempotencyKey, ...rest } = order;
    await this.ledger.append({
      at: new Date().toISOString(),
      transfer,
      ...(idempotencyKey && { idempotencyKey }),
      ...rest,
    });
    const after = this.fold(await this.ledger.read());
    return after.confirmations.has(confirmationOf(order)) ? 'done' : 'insufficient';
  }

  async balanceCents(id: string): Promise<number> {
    return this.fold(await this.ledger.read()).cents.get(id) ?? 0;
  }

  private fold(lines: readonly LedgerLine[]): {
    readonly cents: ReadonlyMap<string, number>;
    readonly confirmations: ReadonlySet<string>;
  } {
    const cents = new Map([...this.accounts.values()].map(({ id, openingCents }) => [id, openingCents]));
    const confirmations = new Set<string>();
    for (const line of lines.filter(isTransfer)) {
      const left = (cents.get(line.from) ?? 0) - line.cents;
      if (confirmations.has(confirmationOf(line)) || left < 0) continue;
      confirmations.add(confirmationOf(line));
      cents.set(line.from, left);
      cents.set(line.to, (cents.get(line.to) ?? 0) + line.cents);
    }
    return { cents, confirmations };
  }
}

function isTransfer(line: LedgerLine): line is TransferLine {
  return (
    typeof line['from'] === 'string' &&
    typeof line['to'] === 'string' &&
    Number.isSafeInteger(line['cents']) &&
    (line['cents'] as number) > 0
  );
}
