/** Connections to the report service: in the process, or in a ledger that replicas and the page share. */
import { Module, type DynamicModule } from '@nestjs/common';
import { openLedger } from '../../ledger/ledger.js';
import { CONNECTIONS_LEDGER_FILE, Connections } from './connections.js';
import { REPORT_PAGE_URL } from './tool.js';

export interface ReportsOptions {
  /** Ends in a slash; the id of a connection is appended. */
  readonly pageUrl: string;
  readonly directory: string | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs?: () => number;
}

@Module({})
export class ReportsModule {
  static with({ pageUrl, directory, nowMs }: ReportsOptions): DynamicModule {
    const connections = new Connections(openLedger(directory, CONNECTIONS_LEDGER_FILE), nowMs);
    return {
      module: ReportsModule,
      providers: [
        { provide: Connections, useValue: connections },
        { provide: REPORT_PAGE_URL, useValue: pageUrl },
      ],
      exports: [Connections, REPORT_PAGE_URL],
    };
  }
}
