import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpecFlow, SpecWorker, textsOf } from '@roundhouse/worker-kit/testing';
import { FileLedger } from '../../ledger/ledger.js';
import { BANK_LEDGER_FILE, BankModule } from '../bank-transfer/bank.module.js';
import { BankTransferFormTool } from './tool.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bank-form-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const parts = () => ({ tools: [BankTransferFormTool], imports: [BankModule.forConfig({ directory })] });
const flowOf = (amount: unknown, base = {}) =>
  new SpecFlow(parts, 'bank_transfer_form', {
    body: JSON.stringify({ fromAccount: 'checking', toAccount: 'landlord', amount }),
    idempotencyKey: 'key-1',
    ...base,
  });
const RIGHT = { confirm: true, last_four: '4711', method: 'wallet' };
const filled = (changed: Record<string, unknown> = {}) => ({
  transfer: { action: 'accept', content: { ...RIGHT, ...changed } },
});
const executions = () => new FileLedger(join(directory, BANK_LEDGER_FILE)).read();

describe('bank_transfer_form', () => {
  it('asks everything in one form and transfers once, on another replica', async () => {
    const flow = flowOf(250.5);
    expect(await flow.next()).toMatchObject({
      asks: {
        transfer: {
          params: {
            message: 'Transfer 250.50 EUR to Roundhouse Lettings?',
            requestedSchema: {
              properties: { confirm: { type: 'boolean' }, last_four: { type: 'string' }, method: { type: 'string' } },
              required: ['confirm', 'last_four', 'method'],
            },
          },
        },
      },
    });
    expect(textsOf(await flow.next(filled()))).toEqual(['250.50 EUR were transferred to Roundhouse Lettings.']);
    expect(await executions()).toMatchObject([{ cents: 25_050, method: 'wallet', idempotencyKey: 'key-1' }]);
  });

  it('never asks for a secret or shows the digits', async () => {
    const said = JSON.stringify(await flowOf(250).next());
    expect(said).not.toMatch(/one-time|password|otp|code|pin\b/i);
    expect(said).not.toContain('4711');
  });

  it.each([
    ['decline', { transfer: { action: 'decline' } }, 'The transfer was declined. Nothing was transferred.'],
    ['cancel', { transfer: { action: 'cancel' } }, 'The form was closed without an answer. Nothing was transferred.'],
    ['no check mark', filled({ confirm: false }), 'The transfer was not confirmed. Nothing was transferred.'],
    [
      'digits of the payer',
      filled({ last_four: '1881' }),
      'These are not the last four digits of the receiving account. Nothing was transferred.',
    ],
    [
      'neither check mark nor digits',
      filled({ confirm: false, last_four: '0000' }),
      'The transfer was not confirmed. Nothing was transferred.',
    ],
  ])('transfers nothing on %s', async (_, answers, said) => {
    const flow = flowOf(250);
    await flow.next();
    expect(textsOf(await flow.next(answers))).toEqual([said]);
    expect(await executions()).toEqual([]);
  });

  it.each([
    ['a method that was not offered', { method: 'cash' }],
    ['digits that are too many', { last_four: '04711' }],
    ['digits as a number', { last_four: 4711 }],
    ['no method', { method: undefined }],
    ['a field that was not asked for', { otp: '123456' }],
  ])('asks again on %s', async (_, changed) => {
    const flow = flowOf(250);
    await flow.next();
    const answers = JSON.parse(JSON.stringify(filled(changed))) as ReturnType<typeof filled>;
    expect((await flow.next(answers)).kind).toBe('input_required');
    expect(await executions()).toEqual([]);
  });

  it('wants a second check mark for a large amount', async () => {
    const flow = flowOf(1_000.01);
    await flow.next();
    expect(textsOf(await flow.next(filled({ confirm_large: false })))[0]).toContain('needs an explicit confirmation');
    const explicit = flowOf(1_000.01);
    await explicit.next();
    expect(textsOf(await explicit.next(filled({ confirm_large: true })))[0]).toContain('were transferred');
  });

  it('does not take the second check mark for the first', async () => {
    const flow = flowOf(1_000.01);
    await flow.next();
    expect(textsOf(await flow.next(filled({ confirm: false, confirm_large: true })))[0]).toContain('not confirmed');
  });

  it('looks again when the answer comes: an account that was taken away pays nothing', async () => {
    const flow = flowOf(250);
    await flow.next();
    writeFileSync(join(directory, 'accounts.json'), '[]');
    expect(textsOf(await flow.next(filled()))).toEqual(['You cannot pay from this account.']);
  });

  it('says that the money is not there', async () => {
    const flow = flowOf(5_000.01);
    await flow.next();
    expect(textsOf(await flow.next(filled({ confirm_large: true })))).toEqual([
      'The account does not hold this amount. Nothing was transferred.',
    ]);
  });

  it.each([0, -1, 0.001, 1e9, '10', null])('refuses the amount %j', async (amount) => {
    expect(textsOf(await flowOf(amount).next())[0]).toMatch(/^Invalid arguments\namount: /);
  });

  it('does not ask a client without forms', async () => {
    expect(await flowOf(250, { clientCapabilities: {} }).next()).toMatchObject({
      code: 'missing_capability',
      requiredCapabilities: { elicitation: { form: {} } },
    });
  });

  it('is declared as what it is', async () => {
    const worker = await SpecWorker.start(parts());
    expect(worker.controller.describe().tools).toMatchObject([{ name: 'bank_transfer_form', singleUse: true }]);
  });
});
