/**
 * The record of one connection that a person makes in a browser: people and third parties are slow, so what happened is
 * told by this record and never by an answer of the client. A record is the fold of its lines: a line that is not
 * allowed where it stands, comes twice or comes too late changes nothing, whoever wrote it and in whatever order.
 */
import type { LedgerLine } from '../../ledger/ledger.js';

/** Opened by the client is consent to look at the page; only the page itself can complete or fail a connection. */
export type ConnectionStatus = 'asked' | 'consented' | 'completed' | 'failed' | 'declined' | 'expired';
export type Transition = Exclude<ConnectionStatus, 'asked' | 'expired'>;

export interface Owner {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId?: string | undefined;
}

export interface Connection {
  readonly id: string;
  readonly owner: Owner;
  /** What was called, and the digest of its arguments: enough to tell it again, no more. */
  readonly method: string;
  readonly operation: string;
  readonly mode: 'url';
  readonly status: ConnectionStatus;
  readonly createdMs: number;
  readonly expiresMs: number;
  /** What makes the call go on: the client answers the next ask, and the tool looks here. */
  readonly resumes: 'with the next answer';
  /** Counts the transitions that counted. */
  readonly version: number;
}

const ALLOWED: Readonly<Record<ConnectionStatus, readonly Transition[]>> = {
  // A quick person is done before the client has told of the consent.
  asked: ['consented', 'completed', 'failed', 'declined'],
  consented: ['completed', 'failed', 'declined'],
  completed: [],
  failed: [],
  declined: [],
  expired: [],
};

export function isAllowed(from: ConnectionStatus, to: Transition): boolean {
  return ALLOWED[from].includes(to);
}

/** Undefined when no line began this connection. */
export function foldConnection(lines: readonly LedgerLine[], id: string, nowMs: number): Connection | undefined {
  let connection: Connection | undefined;
  for (const line of lines.filter((each) => each['connection'] === id)) {
    connection = connection === undefined ? beginOf(line) : advanced(connection, line);
  }
  if (connection === undefined || nowMs < connection.expiresMs) return connection;
  return ALLOWED[connection.status].length === 0 ? connection : { ...connection, status: 'expired' };
}

export function isOwner({ owner }: Connection, { issuer, subject }: Owner): boolean {
  return owner.issuer === issuer && owner.subject === subject;
}

function beginOf(line: LedgerLine): Connection | undefined {
  return line['begin'] as Connection | undefined;
}

function advanced(connection: Connection, line: LedgerLine): Connection {
  const to = line['to'] as Transition;
  const isInTime = Date.parse(line.at) < connection.expiresMs;
  if (!isInTime || !isAllowed(connection.status, to)) return connection;
  return { ...connection, status: to, version: connection.version + 1 };
}
