/** The bank: example accounts in the process, or accounts and a ledger in a directory that replicas share. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { z } from 'zod';
import type { ToolWorkerConfig } from '../../config.js';
import { FileLedger, MemoryLedger } from '../../ledger/ledger.js';
import { Bank, SEEDED_ACCOUNTS, type Account } from './bank.js';
import { TransferDesk } from './transfer-desk.js';

export const BANK_LEDGER_FILE = 'transfers.jsonl';
const ACCOUNTS_FILE = 'accounts.json';

const accountsSchema = z.array(
  z.strictObject({
    id: z.string().min(1).max(64),
    number: z.string().regex(/^[\d ]{4,64}$/),
    holder: z.string().min(1).max(120),
    owner: z.string().min(1).max(512),
    openingCents: z.int().min(0),
  }),
);

@Module({})
export class BankModule {
  static forConfig({ directory }: ToolWorkerConfig['bank']): DynamicModule {
    const ledger = directory === undefined ? new MemoryLedger() : new FileLedger(join(directory, BANK_LEDGER_FILE));
    const accounts = directory === undefined ? SEEDED_ACCOUNTS : readAccounts(join(directory, ACCOUNTS_FILE));
    return {
      module: BankModule,
      providers: [{ provide: Bank, useValue: new Bank(accounts, ledger) }, TransferDesk],
      exports: [TransferDesk],
    };
  }
}

/** Without the file the example accounts stand; a file that is wrong ends the boot. */
function readAccounts(path: string): readonly Account[] {
  try {
    return accountsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return SEEDED_ACCOUNTS;
    throw new Error(`${ACCOUNTS_FILE} is no list of accounts`, { cause: error });
  }
}
