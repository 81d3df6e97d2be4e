import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallReply } from '@roundhouse/contracts';
import { SpecFlow, SpecWorker, textsOf } from '@roundhouse/worker-kit/testing';
import { FileLedger } from '../../ledger/ledger.js';
import { BANK_LEDGER_FILE, BankModule } from './bank.module.js';
import { BankTransferTool } from './tool.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bank-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const parts = () => ({ tools: [BankTransferTool], imports: [BankModule.forConfig({ directory })] });
const flowOf = (amount: number, args = {}) =>
  new SpecFlow(parts, 'bank_transfer', {
    body: JSON.stringify({ fromAccount: 'checking', toAccount: 'landlord', amount, ...args }),
    idempotencyKey: 'key-1',
  });
const accept = (content: Record<string, unknown>) => ({ action: 'accept', content });
const confirmed = { confirm: accept({ confirm: true }) };
const digits = { account_digits: accept({ last_four: '4711' }) };
const card = { method: accept({ method: 'card' }) };
const executions = () => new FileLedger(join(directory, BANK_LEDGER_FILE)).read();
const keysOf = (reply: CallReply) => (reply.kind === 'input_required' ? Object.keys(reply.asks) : reply.kind);

describe('bank_transfer', () => {
  it('asks one thing at a time, each round on another replica, and transfers once', async () => {
    const flow = flowOf(250.5);
    expect(keysOf(await flow.next())).toEqual(['confirm']);
    expect(keysOf(await flow.next(confirmed))).toEqual(['account_digits']);
    const third = await flow.next(digits);
    expect(third).toMatchObject({
      asks: {
        method: {
          params: { requestedSchema: { properties: { method: { oneOf: [{ const: 'card' }, { const: 'wallet' }] } } } },
        },
      },
    });
    expect(textsOf(await flow.next(card))).toEqual(['250.50 EUR were transferred to Roundhouse Lettings.']);
    expect(await executions()).toMatchObject([
      { from: 'checking', to: 'landlord', cents: 25_050, method: 'card', idempotencyKey: 'key-1' },
    ]);
  });

  it('never asks for a one-time password or shows the digits', async () => {
    const flow = flowOf(250);
    const said = JSON.stringify([
      await flow.next(),
      await flow.next(confirmed),
      await flow.next(digits),
      await flow.next(card),
    ]);
    expect(said).not.toMatch(/one-time|password|otp|code/i);
    expect(JSON.stringify(await flowOf(250).next())).not.toContain('4711');
  });

  it.each([
    ['decline', { action: 'decline' }, 'declined'],
    ['cancel', { action: 'cancel' }, 'closed without an answer'],
    ['accept without the check mark', accept({ confirm: false }), 'not confirmed'],
  ])('ends at the first question on %s', async (_, answer, said) => {
    const flow = flowOf(250);
    await flow.next();
    expect(textsOf(await flow.next({ confirm: answer }))[0]).toContain(said);
    expect(await executions()).toEqual([]);
  });

  it.each([
    ['of the payer', '1881'],
    ['of nobody', '0000'],
    ['with a space', '471 '],
  ])('refuses digits %s plainly and asks nothing more', async (_, last_four) => {
    const flow = flowOf(250);
    await flow.next();
    await flow.next(confirmed);
    expect(textsOf(await flow.next({ account_digits: accept({ last_four }) }))).toEqual([
      'These are not the last four digits of the receiving account. Nothing was transferred.',
    ]);
    expect(await executions()).toEqual([]);
  });

  it.each(['account_digits', 'method'])('ends on decline of %s', async (key) => {
    const flow = flowOf(250);
    await flow.next();
    await flow.next(confirmed);
    if (key === 'method') await flow.next(digits);
    expect(textsOf(await flow.next({ [key]: { action: 'decline' } }))[0]).toContain(
      'decline). Nothing was transferred.',
    );
    expect(await executions()).toEqual([]);
  });

  it.each([
    [{ confirm: true, confirm_large: false }, 'needs an explicit confirmation'],
    [{ confirm: false, confirm_large: true }, 'not confirmed'],
  ])('refuses a large amount on %j', async (content, said) => {
    const flow = flowOf(1_000.01);
    await flow.next();
    expect(textsOf(await flow.next({ confirm: accept(content) }))[0]).toContain(said);
  });

  it('takes a large amount that is confirmed explicitly', async () => {
    const flow = flowOf(1_000.01);
    await flow.next();
    expect(keysOf(await flow.next({ confirm: accept({ confirm: true, confirm_large: true }) }))).toEqual([
      'account_digits',
    ]);
  });

  it('says that the money is not there', async () => {
    const flow = flowOf(5_000.01);
    await flow.next();
    await flow.next({ confirm: accept({ confirm: true, confirm_large: true }) });
    await flow.next(digits);
    expect(textsOf(await flow.next(card))).toEqual(['The account does not hold this amount. Nothing was transferred.']);
  });

  it.each([
    [
      'pays from an account of another',
      { fromAccount: 'landlord', toAccount: 'checking' },
      'You cannot pay from this account.',
    ],
    ['pays from an account that is not there', { fromAccount: '__proto__' }, 'You cannot pay from this account.'],
    ['pays to an account that is not there', { toAccount: 'constructor' }, 'There is no such receiving account.'],
    ['pays to itself', { toAccount: 'checking' }, 'There is no such receiving account.'],
  ])('refuses who %s', async (_, args, said) => {
    expect(textsOf(await flowOf(10, args).next())).toEqual([said]);
  });

  it.each([0, -1, 0.001, 1e9, '10', null])('refuses the amount %j', async (amount) => {
    expect(textsOf(await flowOf(amount as number).next())[0]).toMatch(/^Invalid arguments\namount: /);
  });
});

describe('the accounts file', () => {
  it('replaces the example accounts', async () => {
    writeFileSync(
      join(directory, 'accounts.json'),
      '[{"id":"x","number":"0000 9999","holder":"X","owner":"*","openingCents":1}]',
    );
    expect(textsOf(await flowOf(1).next())).toEqual(['You cannot pay from this account.']);
  });

  it.each(['{', '{}', '[{"id":"x"}]'])('%j ends the boot', async (text) => {
    writeFileSync(join(directory, 'accounts.json'), text);
    expect(() => parts()).toThrow('no list of accounts');
  });

  it('may be missing, with everything in the process', async () => {
    const worker = await SpecWorker.start({ tools: [BankTransferTool], imports: [BankModule.forConfig({})] });
    expect(worker.controller.describe().tools).toMatchObject([{ name: 'bank_transfer', singleUse: true }]);
  });
});
