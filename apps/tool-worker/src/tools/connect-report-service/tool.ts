/**
 * Connects the report service on a page of ours, in url mode: what a person types there is never asked in a form. An
 * accept means that the page may be opened and nothing more; the call goes on when our own record says completed, and
 * asks again, a few times, while it does not. The address carries an id that only its owner can use, and no secret.
 */
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, ToolFailure, url } from '@roundhouse/worker-kit';
import type { ConnectionStatus, Owner } from './connection.js';
import { Connections } from './connections.js';

/** Injection token of the page's address; the id of a connection is appended. */
export const REPORT_PAGE_URL = Symbol('address of the report page');

const NAME = 'connect_report_service';
/** Then somebody has lost interest. */
export const ASKS_MAX = 5;

const ConnectReportService = z.object({
  report: z.string().trim().min(1).max(64).describe('Name of the report that shall be read'),
});
type ConnectReportService = z.output<typeof ConnectReportService>;

const ENDED: Readonly<Partial<Record<ConnectionStatus, string>>> = {
  failed: 'The report service was not connected: the page says that access was refused. Call again to start over.',
  declined: 'Connecting was declined. Nothing was connected.',
  expired: 'The page has expired. Nothing was connected; call again for a new one.',
};

@Injectable()
export class ConnectReportServiceTool {
  constructor(
    private readonly connections: Connections,
    @Inject(REPORT_PAGE_URL) private readonly pageUrl: string,
  ) {}

  @Tool({
    name: NAME,
    title: 'Connect the report service',
    description: 'Connects the report service on a page that opens in a browser, and goes on once that is done.',
    input: ConnectReportService,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  })
  async connect({ report }: ConnectReportService, call: Call): Promise<string> {
    const owner = assertPerson(call);
    const id = await call.step('connection', () =>
      this.connections.begin(owner, { flowId: call.flowId, method: `tools/call ${NAME}`, operation: digestOf(report) }),
    );
    for (let asked = 1; asked <= ASKS_MAX; asked += 1) {
      const answer = await call.ask('report_page', url(toMessage(asked), `${this.pageUrl}${id}`));
      if (answer.action === 'cancel') {
        return 'The question was closed without an answer. Nothing was connected; it can still be answered until it expires.';
      }
      const to = answer.action === 'accept' ? 'consented' : 'declined';
      await call.step(`answer_${asked}`, () => this.record(id, owner, { to, by: call.flowId }));
      // Read in every round anew: this is what the page said, not what the client said.
      const status = (await this.connections.find(id, owner))?.status ?? 'expired';
      if (status === 'completed') return `The report service is connected. The report “${report}” can be read now.`;
      const ended = ENDED[status];
      if (ended !== undefined) return ended;
    }
    return `The page was not finished after ${ASKS_MAX} questions. Nothing was connected; call again to start over.`;
  }

  private async record(
    id: string,
    owner: Owner,
    { to, by }: { readonly to: 'consented' | 'declined'; readonly by: string },
  ): Promise<void> {
    const connection = await this.connections.find(id, owner);
    if (connection !== undefined) await this.connections.advance(connection, to, by);
  }
}

/** @throws ToolFailure for who is not signed in: a page could not tell whose it is */
function assertPerson({ principal }: Call): Owner {
  if (principal.kind !== 'user')
    throw new ToolFailure('Only a caller who is signed in can connect the report service.');
  const { issuer, subject, clientId } = principal;
  return { issuer, subject, ...(clientId !== undefined && { clientId }) };
}

function toMessage(asked: number): string {
  return asked === 1
    ? 'Connect the report service: open this page, sign in there and allow access, then answer.'
    : `The report service is not connected yet (question ${asked} of ${ASKS_MAX}). Finish on the page, then answer again.`;
}

function digestOf(report: string): string {
  return createHash('sha256').update(JSON.stringify({ report })).digest('base64url');
}
