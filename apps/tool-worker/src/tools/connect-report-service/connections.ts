/**
 * Begins, advances and reads connections. Shared by the tool and the page through one ledger, which is also the record
 * of every transition: afterwards one can tell why a connection went on or stopped.
 */
import { randomBytes } from 'node:crypto';
import { ToolFailure } from '@roundhouse/worker-kit';
import { toLine } from '../../ledger/first-line.js';
import type { Ledger } from '../../ledger/ledger.js';
import { foldConnection, isAllowed, isOwner, type Connection, type Owner, type Transition } from './connection.js';

/** As long as the router waits for the answer to a url ask. */
export const CONNECTION_TTL_MS = 600_000;
/** Unguessable: 192 bits. */
const ID_BYTES = 24;
export const CONNECTION_ID = /^[A-Za-z0-9_-]{32}$/;
/** Pages that one person may have open at once. */
export const OPEN_MAX = 8;

/** The ledger file that tool and page share. */
export const CONNECTIONS_LEDGER_FILE = 'connections.jsonl';

export interface Beginning {
  readonly flowId: string;
  readonly method: string;
  readonly operation: string;
}

export class Connections {
  constructor(
    private readonly ledger: Ledger,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** @throws ToolFailure when this person has too many open */
  async begin(owner: Owner, { flowId, method, operation }: Beginning): Promise<string> {
    if ((await this.countOpen(owner)) >= OPEN_MAX)
      throw new ToolFailure(`There are ${OPEN_MAX} pages open already. Finish one or wait until it expires.`);
    const id = randomBytes(ID_BYTES).toString('base64url');
    const createdMs = this.nowMs();
    const expiresMs = createdMs + CONNECTION_TTL_MS;
    const begin: Connection = {
      ...{ id, owner, method, operation, createdMs, expiresMs },
      ...{ mode: 'url', status: 'asked', resumes: 'with the next answer', version: 0 },
    };
    await this.ledger.append({ ...toLine({ flowId }, { connection: id, begin }), at: this.at() });
    return id;
  }

  /** Undefined when there is none of this owner: whose another is must not be told. */
  async find(id: string, owner: Owner): Promise<Connection | undefined> {
    if (!CONNECTION_ID.test(id)) return undefined;
    const connection = foldConnection(await this.ledger.read(), id, this.nowMs());
    return connection !== undefined && isOwner(connection, owner) ? connection : undefined;
  }

  /** How it stands afterwards, whether this changed anything or not. */
  async advance(connection: Connection, to: Transition, by: string): Promise<Connection> {
    const { id, owner, status } = connection;
    if (isAllowed(status, to)) {
      await this.ledger.append({ ...toLine({ flowId: by }, { connection: id, to }), at: this.at() });
    }
    return (await this.find(id, owner)) ?? connection;
  }

  private async countOpen(owner: Owner): Promise<number> {
    const lines = await this.ledger.read();
    const ids = lines.flatMap((line) => (line['begin'] === undefined ? [] : [String(line['connection'])]));
    const all = ids.map((id) => foldConnection(lines, id, this.nowMs()));
    return all.filter((each) => each && isOwner(each, owner) && ['asked', 'consented'].includes(each.status)).length;
  }

  private at(): string {
    return new Date(this.nowMs()).toISOString();
  }
}
