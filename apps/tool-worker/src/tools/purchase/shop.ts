/**
 * Offers, extras and orders. Prices and stock are what the shop says at the moment of the order; the ledger holds the
 * orders, and what is sold out follows from it.
 */
import type { Call } from '@roundhouse/worker-kit';
import { appendFirst, confirmationOf, toLine } from '../../ledger/first-line.js';
import type { Ledger, LedgerLine } from '../../ledger/ledger.js';

export interface Offer {
  readonly id: string;
  readonly title: string;
  readonly cents: number;
  /** How many there were at the start. */
  readonly stock: number;
}

export interface Extra {
  readonly id: string;
  readonly title: string;
  readonly cents: number;
}

export interface Order {
  readonly offer: Offer;
  readonly extras: readonly Extra[];
  readonly totalCents: number;
}

export type OrderOutcome = 'ordered' | 'sold out' | 'changed';

export const SEEDED_OFFERS: readonly Offer[] = [
  { id: 'lantern-brass', title: 'Brass signal lantern', cents: 12_900, stock: 8 },
  { id: 'lantern-tin', title: 'Tin signal lantern', cents: 4_500, stock: 8 },
  { id: 'lantern-hand', title: 'Hand lantern', cents: 3_200, stock: 8 },
  { id: 'lantern-led', title: 'LED lantern', cents: 6_100, stock: 8 },
  { id: 'lantern-last', title: 'Last lantern of the old line', cents: 2_900, stock: 1 },
  { id: 'whistle', title: 'Guard’s whistle', cents: 1_200, stock: 8 },
];

export const EXTRAS: readonly Extra[] = [
  { id: 'oil', title: 'Lamp oil', cents: 600 },
  { id: 'wicks', title: 'Ten wicks', cents: 400 },
  { id: 'case', title: 'Carrying case', cents: 2_500 },
];

export class Shop {
  constructor(
    private readonly ledger: Ledger,
    private readonly offers: readonly Offer[] = SEEDED_OFFERS,
  ) {}

  /** What is in stock, matches every word and costs no more than the budget; the cheapest first. */
  async search(words: string, budgetCents: number): Promise<readonly Offer[]> {
    const wanted = words.toLowerCase().split(/\s+/);
    const lines = await this.ledger.read();
    return this.offers
      .filter(({ title, cents }) => cents <= budgetCents && wanted.every((word) => title.toLowerCase().includes(word)))
      .filter((offer) => soldOf(lines, offer.id).length < offer.stock)
      .sort((one, other) => one.cents - other.cents || (one.id < other.id ? -1 : 1));
  }

  /** Orders what was offered, at the price at which it was offered, or nothing. */
  async order(
    { offer, extras, totalCents }: Order,
    call: Pick<Call, 'flowId' | 'idempotencyKey'>,
  ): Promise<OrderOutcome> {
    const live = this.offers.find(({ id }) => id === offer.id);
    if (live === undefined || live.cents !== offer.cents) return 'changed';
    const sold = soldOf(await this.ledger.read(), live.id);
    if (sold.some((line) => confirmationOf(line) === confirmationOf(call))) return 'ordered';
    for (let piece = sold.length; piece < live.stock; piece += 1) {
      const line = toLine(call, { offer: live.id, piece, extras: extras.map(({ id }) => id), totalCents });
      if (await appendFirst(this.ledger, line, pieceOf)) return 'ordered';
    }
    return 'sold out';
  }
}

/** One piece of the stock: only one order can have it. */
function pieceOf(line: LedgerLine): string {
  return JSON.stringify([line['offer'], line['piece']]);
}

/** Orders that count: the first for each piece. */
function soldOf(lines: readonly LedgerLine[], offer: string): readonly LedgerLine[] {
  const first = new Map<string, LedgerLine>();
  for (const line of lines) {
    if (line['offer'] === offer && !first.has(pieceOf(line))) first.set(pieceOf(line), line);
  }
  return [...first.values()];
}
