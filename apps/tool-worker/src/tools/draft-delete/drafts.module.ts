/** The drafts: in the process, or with a ledger in a directory that replicas share. */
import { Module, type DynamicModule } from '@nestjs/common';
import { openLedger } from '../../ledger/ledger.js';
import { Drafts } from './drafts.js';

export const DRAFTS_LEDGER_FILE = 'drafts-deleted.jsonl';

@Module({})
export class DraftsModule {
  static inDirectory(directory: string | undefined): DynamicModule {
    const drafts = new Drafts(openLedger(directory, DRAFTS_LEDGER_FILE));
    return { module: DraftsModule, providers: [{ provide: Drafts, useValue: drafts }], exports: [Drafts] };
  }
}
