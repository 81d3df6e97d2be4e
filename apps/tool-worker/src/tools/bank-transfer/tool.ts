/**
 * Moves money after three questions, one at a time because each depends on the one before: confirm, last four digits of
 * the receiving account, method. `bank-transfer-form` asks the same in one form.
 */
import { Injectable } from '@nestjs/common';
import { Call, Tool, form } from '@roundhouse/worker-kit';
import {
  BankTransfer,
  CONFIRM_FIELDS,
  CONFIRM_LARGE_FIELDS,
  DIGITS_FIELDS,
  METHOD_FIELDS,
  TransferDesk,
  isLarge,
  refusalOfConfirmation,
  refusalOfDigits,
  toQuestion,
  type Quote,
} from './transfer-desk.js';

@Injectable()
export class BankTransferTool {
  constructor(private readonly desk: TransferDesk) {}

  @Tool({
    name: 'bank_transfer',
    title: 'Transfer money',
    description:
      'Transfers an amount between two accounts after the payer confirmed it, named the receiving account and chose a method.',
    input: BankTransfer,
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    singleUse: true,
  })
  async transfer(input: BankTransfer, call: Call): Promise<string> {
    const transfer = await this.desk.open(input, call);
    const refusal = await confirm(transfer.quote, call);
    if (refusal !== undefined) return refusal;
    const digits = await call.ask(
      'account_digits',
      form(`What are the last four digits of the account of ${transfer.quote.receiver}?`, DIGITS_FIELDS),
    );
    if (digits.action !== 'accept') return `The account was not named (${digits.action}). Nothing was transferred.`;
    const wrong = refusalOfDigits(transfer.to, digits.content);
    if (wrong !== undefined) return wrong;
    const method = await call.ask('method', form('How should it be paid?', METHOD_FIELDS));
    if (method.action !== 'accept') return `No method was chosen (${method.action}). Nothing was transferred.`;
    return this.desk.transfer(transfer, method.content.method, call);
  }
}

/** Undefined when confirmed; otherwise what to tell instead. */
async function confirm(quote: Quote, call: Call): Promise<string | undefined> {
  const fields = isLarge(quote) ? CONFIRM_LARGE_FIELDS : CONFIRM_FIELDS;
  const answer = await call.ask('confirm', form(toQuestion(quote), fields));
  if (answer.action === 'decline') return 'The transfer was declined. Nothing was transferred.';
  if (answer.action === 'cancel') return 'The question was closed without an answer. Nothing was transferred.';
  return refusalOfConfirmation(quote, answer.content);
}
