import { describe, expect, it } from '@jest/globals';
import { MemoryLedger } from '../../ledger/ledger.js';
import { Bank, type Account } from './bank.js';

const account = (id: string, openingCents: number): Account => ({
  id,
  number: '1234',
  holder: id,
  owner: '*',
  openingCents,
});
const accounts = [account('a', 1_000), account('b', 0)];
const order = (idempotencyKey: string | undefined, cents = 600, flowId = 'f') => ({
  from: 'a',
  to: 'b',
  cents,
  method: 'card',
  flowId,
  idempotencyKey,
});

describe('a transfer', () => {
  it('moves the amount and writes one line with its key', async () => {
    const ledger = new MemoryLedger();
    const bank = new Bank(accounts, ledger);
    expect(await bank.transfer(order('k1'))).toBe('done');
    expect([await bank.balanceCents('a'), await bank.balanceCents('b')]).toEqual([400, 600]);
    expect(await ledger.read()).toMatchObject([{ from: 'a', to: 'b', cents: 600, idempotencyKey: 'k1' }]);
  });

  it.each([['k1'], [undefined]])('delivered twice with the key %s is one', async (key) => {
    const ledger = new MemoryLedger();
    expect(await new Bank(accounts, ledger).transfer(order(key, 100))).toBe('done');
    expect(await new Bank(accounts, ledger).transfer(order(key, 100))).toBe('done');
    expect(await ledger.read()).toHaveLength(1);
  });

  it('of more than there is changes nothing', async () => {
    const ledger = new MemoryLedger();
    expect(await new Bank(accounts, ledger).transfer(order('k1', 1_001))).toBe('insufficient');
    expect(await ledger.read()).toEqual([]);
  });

  it('races with another over the same money and one wins', async () => {
    const ledger = new MemoryLedger();
    const outcomes = await Promise.all(['k1', 'k2'].map((key) => new Bank(accounts, ledger).transfer(order(key))));
    expect(outcomes.sort()).toEqual(['done', 'insufficient']);
    expect(await new Bank(accounts, ledger).balanceCents('b')).toBe(600);
  });

  it.each([{ cents: -5 }, { cents: 1.5 }, { cents: '5' }, { from: undefined }])(
    'is not what the foreign line %j says',
    async (foreign) => {
      const ledger = new MemoryLedger();
      await ledger.append({ at: 'x', flowId: 'f', from: 'a', to: 'b', cents: 5, ...foreign } as never);
      expect(await new Bank(accounts, ledger).balanceCents('a')).toBe(1_000);
    },
  );
});
