import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallRequest } from '@roundhouse/contracts';
import { SpecFlow, SpecWorker, textsOf } from '@roundhouse/worker-kit/testing';
import { FileLedger } from '../../ledger/ledger.js';
import { SEEDED_OFFERS, type Offer } from './shop.js';
import { ORDERS_LEDGER_FILE, ShopModule } from './shop.module.js';
import { PurchaseTool } from './tool.js';

let directory: string;
let offers: readonly Offer[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'shop-'));
  offers = SEEDED_OFFERS;
});
afterEach(() => rmSync(directory, { recursive: true }));

const parts = () => ({ tools: [PurchaseTool], imports: [ShopModule.inDirectory(directory, offers)] });
let flows = 0;
const flowOf = (search: unknown, budget: unknown = 200, base: Partial<CallRequest> = {}) => {
  flows += 1;
  const body = JSON.stringify({ search, budget });
  return new SpecFlow(parts, 'purchase', { body, flowId: `flow-${flows}`, ...base });
};
const choose = (offer: unknown, extras: unknown = []) => ({
  choice: { action: 'accept', content: { offer, extras } },
});
const orders = () => new FileLedger(join(directory, ORDERS_LEDGER_FILE)).read();

describe('purchase', () => {
  it('offers the three cheapest by name and price, with extras to choose several from', async () => {
    expect(await flowOf('lantern').next()).toMatchObject({
      asks: {
        choice: {
          params: {
            requestedSchema: {
              properties: {
                offer: {
                  type: 'string',
                  oneOf: [
                    { const: 'lantern-last', title: 'Last lantern of the old line, 29.00 EUR' },
                    { const: 'lantern-hand', title: 'Hand lantern, 32.00 EUR' },
                    { const: 'lantern-tin', title: 'Tin signal lantern, 45.00 EUR' },
                  ],
                },
                extras: { type: 'array', maxItems: 2, items: { anyOf: [{ const: 'oil' }, { const: 'wicks' }, {}] } },
              },
            },
          },
        },
      },
    });
  });

  it.each([
    [[], 'Ordered Hand lantern for 32.00 EUR.', 3_200],
    [['wicks', 'oil'], 'Ordered Hand lantern and Lamp oil and Ten wicks for 42.00 EUR.', 4_200],
  ])('orders what was chosen with the extras %j, on another replica', async (extras, said, totalCents) => {
    const flow = flowOf('lantern');
    await flow.next();
    expect(textsOf(await flow.next(choose('lantern-hand', extras)))).toEqual([said]);
    expect(await orders()).toMatchObject([{ offer: 'lantern-hand', totalCents }]);
  });

  it.each([
    ['decline', { action: 'decline' }, 'The offers were declined. Nothing was bought.'],
    ['cancel', { action: 'cancel' }, 'The form was closed without an answer. Nothing was bought.'],
  ])('buys nothing on %s', async (_, choice, said) => {
    const flow = flowOf('lantern');
    await flow.next();
    expect(textsOf(await flow.next({ choice }))).toEqual([said]);
    expect(await orders()).toEqual([]);
  });

  it.each([
    ['an offer that exists but was not offered', choose('lantern-brass')],
    ['an offer that does not exist', choose('constructor')],
    ['an extra that does not exist', choose('lantern-hand', ['diamonds'])],
    ['more extras than may be had', choose('lantern-hand', ['oil', 'wicks', 'case'])],
    ['one extra that is no list', choose('lantern-hand', 'oil')],
    ['no offer', choose(undefined)],
    [
      'a card number beside it',
      { choice: { action: 'accept', content: { offer: 'lantern-hand', extras: [], card: '4' } } },
    ],
    ['no content', { choice: { action: 'accept' } }],
  ])('takes %s for no answer', async (_, answers) => {
    const flow = flowOf('lantern');
    await flow.next();
    expect((await flow.next(JSON.parse(JSON.stringify(answers)) as typeof answers)).kind).toBe('input_required');
    expect(await orders()).toEqual([]);
  });

  it('does not buy what costs more than the budget once extras are counted', async () => {
    const flow = flowOf('hand', 40);
    await flow.next();
    expect(textsOf(await flow.next(choose('lantern-hand', ['case'])))[0]).toMatch(/57\.00 EUR.*Nothing was bought/);
    expect(await orders()).toEqual([]);
  });

  it.each([
    ['became dearer', (offer: Offer) => [{ ...offer, cents: 9_900 }]],
    ['became cheaper', (offer: Offer) => [{ ...offer, cents: 100 }]],
    ['was withdrawn', () => []],
  ])('buys nothing when the offer %s while the person thought', async (_, change) => {
    const flow = flowOf('hand');
    await flow.next();
    offers = SEEDED_OFFERS.flatMap((offer) => (offer.id === 'lantern-hand' ? change(offer) : [offer]));
    expect(textsOf(await flow.next(choose('lantern-hand')))).toEqual([
      'The offer has changed since it was made. Nothing was bought.',
    ]);
    expect(await orders()).toEqual([]);
  });

  it('sells the last one once', async () => {
    const both = [flowOf('last'), flowOf('last')];
    for (const flow of both) await flow.next();
    const said = await Promise.all(both.map(async (flow) => textsOf(await flow.next(choose('lantern-last')))[0]));
    expect(said.sort()).toEqual([
      'Ordered Last lantern of the old line for 29.00 EUR.',
      'The offer was sold out meanwhile. Nothing was bought.',
    ]);
    expect(textsOf(await flowOf('last').next())).toEqual(['Nothing that fits was found. Nothing was bought.']);
  });

  it('tells who came second so again, when the confirmation is delivered again', async () => {
    const lines = ['first', 'second'].map((flowId) => ({ at: 'now', flowId, offer: 'lantern-last', piece: 0 }));
    const offered = flowOf('last', 200, { flowId: 'second' });
    await offered.next();
    for (const line of lines) await new FileLedger(join(directory, ORDERS_LEDGER_FILE)).append(line);
    expect(textsOf(await offered.next(choose('lantern-last')))[0]).toContain('sold out');
  });

  it('a confirmation delivered twice is one order, and both deliveries hear so', async () => {
    const twice = [1, 2].map(() => flowOf('hand', 200, { flowId: 'twice', idempotencyKey: 'key' }));
    for (const flow of twice) await flow.next();
    for (const flow of twice) expect(textsOf(await flow.next(choose('lantern-hand')))[0]).toContain('Ordered');
    expect(await orders()).toHaveLength(1);
  });

  it.each([
    ['submarine', 200],
    ['lantern', 10],
  ])('says plainly that nothing fits %s for %d', async (search, budget) => {
    expect(textsOf(await flowOf(search, budget).next())).toEqual(['Nothing that fits was found. Nothing was bought.']);
  });

  it.each([
    ['', 10],
    ['   ', 10],
    ['x'.repeat(101), 10],
    ['lantern', 0],
    ['lantern', -5],
    ['lantern', '10'],
    ['lantern', 0.001],
    [undefined, 10],
  ])('refuses the arguments %j %j', async (search, budget) => {
    expect(textsOf(await flowOf(search, budget).next())[0]).toMatch(/^Invalid arguments/);
  });

  it('does not ask a client without forms', async () => {
    expect(await flowOf('lantern', 200, { clientCapabilities: {} }).next()).toMatchObject({
      code: 'missing_capability',
      requiredCapabilities: { elicitation: { form: {} } },
    });
  });

  it('is declared as what it is, with everything in the process', async () => {
    const worker = await SpecWorker.start({ tools: [PurchaseTool], imports: [ShopModule.inDirectory(undefined)] });
    expect(worker.controller.describe().tools).toMatchObject([{ name: 'purchase', singleUse: true }]);
  });
});
