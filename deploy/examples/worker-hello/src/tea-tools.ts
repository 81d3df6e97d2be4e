import { Injectable } from '@nestjs/common';
import { Ask, Call, Tool, asking, boolean, form, integer, oneOf, type Asked } from '@roundhouse/worker-kit';
import { z } from 'zod';
import { TeaShelf } from './tea-shelf.js';

const OrderTea = z.object({ guest: z.string().max(80).describe('Who the tea is for') });
type OrderTea = z.output<typeof OrderTea>;

const reason = asking(
  'reason',
  form('Why does the shop close early?', { reason: oneOf(['no guests', 'repairs', 'holiday']) }),
);
const sure = asking('sure', { reason }, (_input, needed) =>
  needed.reason.reason === 'repairs' ? { ok: true } : form('Send the guests home?', { ok: boolean() }),
);

@Injectable()
export class TeaTools {
  constructor(private readonly shelf: TeaShelf) {}

  @Tool({ name: 'order_tea', description: 'Orders tea that is in stock', input: OrderTea, singleUse: true })
  async order({ guest }: OrderTea, call: Call): Promise<string> {
    const teas = await call.step('teas', () => this.shelf.inStock());
    if (teas.length === 0) return 'There is no tea left.';
    const answer = await call.ask(
      'choice',
      form(`Which tea for ${guest}?`, { tea: oneOf(teas), cups: integer({ minimum: 1, maximum: 4, default: 1 }) }),
    );
    if (answer.action !== 'accept') return `No tea was ordered (${answer.action}).`;
    const { tea, cups } = answer.content;
    return this.shelf.take(tea, cups) ? `${cups} × ${tea} for ${guest}.` : `There is not enough ${tea} left.`;
  }

  @Tool({ name: 'close_shop', description: 'Closes the tea shop early' })
  close(
    _input: unknown,
    _call: Call,
    @Ask(reason) why: Asked<typeof reason>,
    @Ask(sure) answer: Asked<typeof sure>,
  ): string {
    if (!answer.ok) return 'The shop stays open.';
    this.shelf.isOpen = false;
    return `Closed: ${why.reason}.`;
  }
}
