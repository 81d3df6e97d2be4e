/** The shop: orders in the process, or in a ledger that replicas share. */
import { Module, type DynamicModule } from '@nestjs/common';
import { openLedger } from '../../ledger/ledger.js';
import { SEEDED_OFFERS, Shop, type Offer } from './shop.js';

export const ORDERS_LEDGER_FILE = 'orders.jsonl';

@Module({})
export class ShopModule {
  static inDirectory(directory: string | undefined, offers: readonly Offer[] = SEEDED_OFFERS): DynamicModule {
    const shop = new Shop(openLedger(directory, ORDERS_LEDGER_FILE), offers);
    return { module: ShopModule, providers: [{ provide: Shop, useValue: shop }], exports: [Shop] };
  }
}
