/** The releases: deployments in the process, or in a ledger that replicas share. */
import { Module, type DynamicModule } from '@nestjs/common';
import { openLedger } from '../../ledger/ledger.js';
import { Releases } from './releases.js';

export const DEPLOYMENTS_LEDGER_FILE = 'deployments.jsonl';

@Module({})
export class ReleasesModule {
  static inDirectory(directory: string | undefined): DynamicModule {
    const releases = new Releases(openLedger(directory, DEPLOYMENTS_LEDGER_FILE));
    return { module: ReleasesModule, providers: [{ provide: Releases, useValue: releases }], exports: [Releases] };
  }
}
