/**
 * What a transfer must keep, however its questions are put: who may pay from what, what an amount needs to be confirmed,
 * which digits name the receiving account. Asks for nothing secret: no password and no one-time code ever.
 */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, ToolFailure, boolean, oneOf, string } from '@roundhouse/worker-kit';
import { Bank, type Account } from './bank.js';

/** Above this a plain yes is not enough. */
export const EXPLICIT_ABOVE_CENTS = 100_000;

export const BankTransfer = z.object({
  fromAccount: z.string().max(64).describe('Id of the account that pays'),
  toAccount: z.string().max(64).describe('Id of the account that receives'),
  amount: z.number().min(0.01).max(1_000_000).multipleOf(0.01).describe('Amount in EUR, at most two decimals'),
});
export type BankTransfer = z.output<typeof BankTransfer>;

/** Everything the questions say, fixed at the first round. */
export interface Quote {
  readonly cents: number;
  readonly receiver: string;
}

export interface Transfer {
  readonly from: Account;
  readonly to: Account;
  readonly quote: Quote;
}

const confirm = boolean({ title: 'Transfer this amount', default: false });
const confirmLarge = boolean({
  title: `I know that this is more than ${toEuro(EXPLICIT_ABOVE_CENTS)}`,
  default: false,
});

export const CONFIRM_FIELDS = { confirm };
export const CONFIRM_LARGE_FIELDS = { confirm, confirm_large: confirmLarge };
export const DIGITS_FIELDS = { last_four: string({ title: 'Last four digits', minLength: 4, maxLength: 4 }) };
export const METHOD_FIELDS = {
  method: oneOf(
    [
      { value: 'card', title: 'Card on file' },
      { value: 'wallet', title: 'Wallet' },
    ],
    { title: 'Method' },
  ),
};

@Injectable()
export class TransferDesk {
  constructor(private readonly bank: Bank) {}

  /**
   * In every round again: what the caller may do can change while a person thinks.
   * @throws ToolFailure when the caller cannot pay from the one account, or there is no other
   */
  async open({ fromAccount, toAccount, amount }: BankTransfer, call: Call): Promise<Transfer> {
    const { from, to } = this.assertAccounts(fromAccount, toAccount, call);
    const quote = await call.step<Quote>('quote', () => ({ cents: Math.round(amount * 100), receiver: to.holder }));
    return { from, to, quote };
  }

  async transfer({ from, to, quote }: Transfer, method: string, call: Call): Promise<string> {
    call.signal.throwIfAborted();
    const { flowId, idempotencyKey } = call;
    const order = { from: from.id, to: to.id, cents: quote.cents, method, flowId, idempotencyKey };
    const outcome = await this.bank.transfer(order);
    if (outcome === 'insufficient') return 'The account does not hold this amount. Nothing was transferred.';
    return `${toEuro(quote.cents)} were transferred to ${quote.receiver}.`;
  }

  private assertAccounts(fromId: string, toId: string, { principal }: Call): Pick<Transfer, 'from' | 'to'> {
    const from = this.bank.find(fromId);
    const to = this.bank.find(toId);
    const subject = principal.kind === 'user' ? principal.subject : undefined;
    if (from === undefined || (from.owner !== '*' && from.owner !== subject))
      throw new ToolFailure('You cannot pay from this account.');
    if (to === undefined || to.id === from.id) throw new ToolFailure('There is no such receiving account.');
    return { from, to };
  }
}

export function toQuestion({ cents, receiver }: Quote): string {
  return `Transfer ${toEuro(cents)} to ${receiver}?`;
}

export function isLarge({ cents }: Quote): boolean {
  return cents > EXPLICIT_ABOVE_CENTS;
}

/** Why this is no confirmation, in words; undefined when it is one. */
export function refusalOfConfirmation(
  quote: Quote,
  content: { readonly confirm: boolean; readonly confirm_large?: boolean | undefined },
): string | undefined {
  if (!content.confirm) return 'The transfer was not confirmed. Nothing was transferred.';
  if (isLarge(quote) && content.confirm_large !== true)
    return `More than ${toEuro(EXPLICIT_ABOVE_CENTS)} needs an explicit confirmation. Nothing was transferred.`;
  return undefined;
}

/** Why these digits do not name the receiving account, in words; undefined when they do. */
export function refusalOfDigits(
  { number }: Account,
  { last_four }: { readonly last_four: string },
): string | undefined {
  return last_four === number.replace(/\D/g, '').slice(-4)
    ? undefined
    : 'These are not the last four digits of the receiving account. Nothing was transferred.';
}

function toEuro(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`;
}
