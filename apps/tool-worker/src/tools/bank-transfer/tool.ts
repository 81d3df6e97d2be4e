/**
 * Moves money after three questions, one at a time because each depends on the one before: confirm, last four digits of
 * the receiving account, method. Asks for nothing secret: no password and no one-time code ever.
 */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, ToolFailure, boolean, form, oneOf, string } from '@roundhouse/worker-kit';
import { Bank, type Account } from './bank.js';

/** Above this a plain yes is not enough. */
export const EXPLICIT_ABOVE_CENTS = 100_000;

const BankTransfer = z.object({
  fromAccount: z.string().max(64).describe('Id of the account that pays'),
  toAccount: z.string().max(64).describe('Id of the account that receives'),
  amount: z.number().min(0.01).max(1_000_000).multipleOf(0.01).describe('Amount in EUR, at most two decimals'),
});
type BankTransfer = z.output<typeof BankTransfer>;

/** Everything the questions say, fixed at the first round. */
interface Quote {
  readonly cents: number;
  readonly receiver: string;
}

@Injectable()
export class BankTransferTool {
  constructor(private readonly bank: Bank) {}

  @Tool({
    name: 'bank_transfer',
    title: 'Transfer money',
    description:
      'Transfers an amount between two accounts after the payer confirmed it, named the receiving account and chose a method.',
    input: BankTransfer,
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    singleUse: true,
  })
  async transfer({ fromAccount, toAccount, amount }: BankTransfer, call: Call): Promise<string> {
    const { from, to } = this.assertAccounts(fromAccount, toAccount, call);
    const quote = await call.step<Quote>('quote', () => ({ cents: Math.round(amount * 100), receiver: to.holder }));
    const refusal = await confirm(quote, call);
    if (refusal !== undefined) return refusal;
    const digits = await call.ask(
      'account_digits',
      form(`What are the last four digits of the account of ${quote.receiver}?`, {
        last_four: string({ title: 'Last four digits', minLength: 4, maxLength: 4 }),
      }),
    );
    if (digits.action !== 'accept') return `The account was not named (${digits.action}). Nothing was transferred.`;
    if (digits.content.last_four !== lastFourOf(to))
      return 'These are not the last four digits of the receiving account. Nothing was transferred.';
    const method = await call.ask(
      'method',
      form('How should it be paid?', {
        method: oneOf(
          [
            { value: 'card', title: 'Card on file' },
            { value: 'wallet', title: 'Wallet' },
          ],
          { title: 'Method' },
        ),
      }),
    );
    if (method.action !== 'accept') return `No method was chosen (${method.action}). Nothing was transferred.`;
    call.signal.throwIfAborted();
    const { flowId, idempotencyKey } = call;
    const outcome = await this.bank.transfer({
      from: from.id,
      to: to.id,
      cents: quote.cents,
      method: method.content.method,
      flowId,
      idempotencyKey,
    });
    if (outcome === 'insufficient') return 'The account does not hold this amount. Nothing was transferred.';
    return `${toEuro(quote.cents)} were transferred to ${quote.receiver}.`;
  }

  /** In every round again: what the caller may do can change while a person thinks. */
  private assertAccounts(
    fromId: string,
    toId: string,
    { principal }: Call,
  ): { readonly from: Account; readonly to: Account } {
    const from = this.bank.find(fromId);
    const to = this.bank.find(toId);
    const subject = principal.kind === 'user' ? principal.subject : undefined;
    if (from === undefined || (from.owner !== '*' && from.owner !== subject))
      throw new ToolFailure('You cannot pay from this account.');
    if (to === undefined || to.id === from.id) throw new ToolFailure('There is no such receiving account.');
    return { from, to };
  }
}

/** Undefined when confirmed; otherwise what to tell instead. */
async function confirm({ cents, receiver }: Quote, call: Call): Promise<string | undefined> {
  const question = `Transfer ${toEuro(cents)} to ${receiver}?`;
  const plain = { confirm: boolean({ title: 'Transfer this amount', default: false }) };
  const isLarge = cents > EXPLICIT_ABOVE_CENTS;
  const explicit = {
    ...plain,
    confirm_large: boolean({ title: `I know that this is more than ${toEuro(EXPLICIT_ABOVE_CENTS)}`, default: false }),
  };
  const answer = await call.ask('confirm', form(question, isLarge ? explicit : plain));
  if (answer.action === 'decline') return 'The transfer was declined. Nothing was transferred.';
  if (answer.action === 'cancel') return 'The question was closed without an answer. Nothing was transferred.';
  if (!answer.content.confirm) return 'The transfer was not confirmed. Nothing was transferred.';
  if (isLarge && !('confirm_large' in answer.content && answer.content.confirm_large)) {
    return `More than ${toEuro(EXPLICIT_ABOVE_CENTS)} needs an explicit confirmation. Nothing was transferred.`;
  }
  return undefined;
}

function lastFourOf({ number }: Account): string {
  return number.replace(/\D/g, '').slice(-4);
}

function toEuro(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`;
}
