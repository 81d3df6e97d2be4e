/**
 * Buys one of at most three offers. The tool narrows the choice by itself, once; a person chooses, and what was offered
 * is what is bought: at that price, or not at all. Nothing about payment is asked: an order goes on the account.
 */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, ToolFailure, form, manyOf, oneOf } from '@roundhouse/worker-kit';
import { EXTRAS, Shop, type Extra, type Offer, type Order, type OrderOutcome } from './shop.js';

/** More than a person compares at a glance. */
const OFFERS_MAX = 3;
const EXTRAS_MAX = 2;

const Purchase = z.object({
  search: z.string().trim().min(1).max(100).describe('Words that the title of the offer must contain'),
  budget: z.number().min(0.01).max(100_000).multipleOf(0.01).describe('The most it may cost in EUR, extras included'),
});
type Purchase = z.output<typeof Purchase>;

const REFUSED: Readonly<Record<Exclude<OrderOutcome, 'ordered'>, string>> = {
  'sold out': 'The offer was sold out meanwhile. Nothing was bought.',
  changed: 'The offer has changed since it was made. Nothing was bought.',
};

@Injectable()
export class PurchaseTool {
  constructor(private readonly shop: Shop) {}

  @Tool({
    name: 'purchase',
    title: 'Buy something',
    description: 'Searches the shop, offers the three cheapest that fit the budget, and orders the one that is chosen.',
    input: Purchase,
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    singleUse: true,
  })
  async purchase({ search, budget }: Purchase, call: Call): Promise<string> {
    const budgetCents = Math.round(budget * 100);
    const offers = await call.step('offers', async () =>
      (await this.shop.search(search, budgetCents)).slice(0, OFFERS_MAX),
    );
    if (offers.length === 0) return 'Nothing that fits was found. Nothing was bought.';
    const choice = await call.ask('choice', toQuestion(offers));
    if (choice.action === 'decline') return 'The offers were declined. Nothing was bought.';
    if (choice.action === 'cancel') return 'The form was closed without an answer. Nothing was bought.';
    const order = toOrder(offers, choice.content);
    if (order.totalCents > budgetCents)
      return `With these extras it costs ${toEuro(order.totalCents)}, which is more than the budget. Nothing was bought.`;
    call.signal.throwIfAborted();
    const outcome = await this.shop.order(order, call);
    if (outcome !== 'ordered') return REFUSED[outcome];
    const extras = order.extras.map(({ title }) => ` and ${title}`).join('');
    return `Ordered ${order.offer.title}${extras} for ${toEuro(order.totalCents)}.`;
  }
}

function toQuestion(offers: readonly Offer[]) {
  return form('Which of these shall be bought? Whatever you choose is ordered at the price shown.', {
    offer: oneOf(offers.map(toChoice), { title: 'Offer' }),
    extras: manyOf(EXTRAS.map(toChoice), { title: 'Extras', maxItems: EXTRAS_MAX, default: [] }),
  });
}

function toChoice({ id, title, cents }: Offer | Extra) {
  return { value: id, title: `${title}, ${toEuro(cents)}` };
}

/** @throws ToolFailure when the choice is none of those offered */
function toOrder(
  offers: readonly Offer[],
  choice: { readonly offer: string; readonly extras: readonly string[] },
): Order {
  const offer = offers.find(({ id }) => id === choice.offer);
  if (offer === undefined) throw new ToolFailure('The choice was not one of the offers. Nothing was bought.');
  const extras = EXTRAS.filter(({ id }) => choice.extras.includes(id));
  return { offer, extras, totalCents: [offer, ...extras].reduce((sum, { cents }) => sum + cents, 0) };
}

function toEuro(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`;
}
