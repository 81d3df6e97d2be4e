/**
 * The tables of the notes and the connections to them. The database holds the notes of all workspaces; its password is
 * read when a connection is made, so that it can be changed while the worker runs, and is never shown.
 */
import { readFile } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { ToolWorkerConfig } from '../../config.js';

export type DatabaseConfig = NonNullable<ToolWorkerConfig['notes']['database']>;
export type Query = Pick<pg.ClientBase, 'query'>;

const POSTGRES_PORT = 5_432;
/** Deletions are rare; the rest of the database's connections is for others. */
const CONNECTIONS_MAX = 4;
const CONNECT_WITHIN_MS = 3_000;
const STATEMENT_WITHIN_MS = 5_000;
/** A transaction that nobody ends must not hold a note for ever. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/** Any number that no other program of this database uses. */
const SCHEMA_LOCK = 7_290_728;

const TABLES = `
  CREATE TABLE roundhouse_notes (
    workspace text NOT NULL,
    id text NOT NULL,
    content text NOT NULL,
    PRIMARY KEY (workspace, id)
  );
  CREATE TABLE roundhouse_note_deletions (
    confirmation text PRIMARY KEY,
    workspace text NOT NULL,
    note text NOT NULL,
    flow_id text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
  );`;

export class PostgresNotes {
  private readonly pool: pg.Pool;
  private tables: Promise<void> | undefined;

  constructor(config: DatabaseConfig) {
    const logger = new Logger('notes');
    this.pool = new pg.Pool({
      ...toPlace(config),
      password: () => readPassword(config),
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      statement_timeout: STATEMENT_WITHIN_MS,
      lock_timeout: STATEMENT_WITHIN_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      application_name: 'roundhouse-tool-worker',
    });
    // Without a listener of its own a connection that breaks while it is used would end the process.
    this.pool.on('connect', (client) =>
      client.on('error', ({ code = 'lost' }: Error & { code?: string }) => logger.warn(`a connection broke: ${code}`)),
    );
    // The same again, for one that nobody used: the next query makes another.
    this.pool.on('error', () => undefined);
  }

  /** All in one transaction: what `work` does happens when it returns, and not at all when it throws. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    await this.ensureTables();
    const client = await this.pool.connect();
    let isBroken = true;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  /** Looked for again after a failure: the database may come up later than the worker. */
  private async ensureTables(): Promise<void> {
    this.tables ??= this.makeTables();
    await this.tables.catch((error: unknown) => {
      this.tables = undefined;
      throw error;
    });
  }

  /** Only where they are missing: a user who may not make tables needs none made. */
  private async makeTables(): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
      const { rows } = await client.query<{ found: string | null }>(
        "SELECT to_regclass('roundhouse_note_deletions') AS found",
      );
      if (rows[0]?.found === null) await client.query(TABLES);
      await client.query('COMMIT');
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** By itself: a connection string given to the driver would override everything beside it. */
function toPlace({ url, tls }: DatabaseConfig): pg.PoolConfig {
  const { hostname, port, username, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? POSTGRES_PORT : Number(port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    // Encrypted means that the certificate is checked; one's own authority is named by NODE_EXTRA_CA_CERTS.
    ssl: tls,
  };
}

async function readPassword({ password, passwordFile }: DatabaseConfig): Promise<string> {
  if (passwordFile === undefined) return password ?? '';
  try {
    return (await readFile(passwordFile, 'utf8')).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new Error(`toolWorker.notes.database.passwordFile names a file that cannot be read: ${code}`, {
      cause: error,
    });
  }
}
