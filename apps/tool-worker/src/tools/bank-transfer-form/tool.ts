/**
 * The transfer of `bank-transfer`, asked all at once: where no answer changes the next question, one form spares the
 * payer two rounds. The rules are the same and are checked in the same order.
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
} from '../bank-transfer/transfer-desk.js';

@Injectable()
export class BankTransferFormTool {
  constructor(private readonly desk: TransferDesk) {}

  @Tool({
    name: 'bank_transfer_form',
    title: 'Transfer money, asked in one form',
    description:
      'Transfers an amount between two accounts after one form in which the payer confirms it, names the receiving account and chooses a method.',
    input: BankTransfer,
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    singleUse: true,
  })
  async transfer(input: BankTransfer, call: Call): Promise<string> {
    const transfer = await this.desk.open(input, call);
    const { quote, to } = transfer;
    const confirmation = isLarge(quote) ? CONFIRM_LARGE_FIELDS : CONFIRM_FIELDS;
    const answer = await call.ask(
      'transfer',
      form(toQuestion(quote), { ...confirmation, ...DIGITS_FIELDS, ...METHOD_FIELDS }),
    );
    if (answer.action === 'decline') return 'The transfer was declined. Nothing was transferred.';
    if (answer.action === 'cancel') return 'The form was closed without an answer. Nothing was transferred.';
    const refusal = refusalOfConfirmation(quote, answer.content) ?? refusalOfDigits(to, answer.content);
    return refusal ?? this.desk.transfer(transfer, answer.content.method, call);
  }
}
