/** What the operator sees of a keyset and of the routers that hold it: a table for people, JSON for machines. */
import {
  CLOCK_SKEW_MS,
  formatKeyset,
  parseKeyset,
  type KeyRole,
  type Keyset,
  type KeysetEntry,
} from '@roundhouse/sealed-state';
import { missingKids, type Replica } from './replicas.js';

interface KeyStatus {
  readonly kid: string;
  readonly role: KeyRole;
  readonly createdAt: string;
  readonly activateAt: string;
  readonly retireAt: string | undefined;
  readonly destroyAt: string | undefined;
  readonly emergency: boolean;
}

interface ReplicaStatus {
  readonly address: string;
  readonly reachable: boolean;
  readonly primary: string | undefined;
  /** Keys of the file that this router does not know. */
  readonly missing: readonly string[];
  readonly outcome: 'ok' | 'error' | undefined;
}

export interface Status {
  readonly keys: readonly KeyStatus[];
  readonly replicas: readonly ReplicaStatus[];
}

export function statusOf(keys: readonly KeysetEntry[], replicas: readonly Replica[], nowMs: number): Status {
  const keyset = parseKeyset(formatKeyset(keys));
  const kids = openingKids(keyset, nowMs);
  return {
    keys: keyset.keys.map((key) => {
      const { kid, createdAt, activateAt, retireAt, destroyAt, emergency } = keys.find((k) => k.kid === key.kid)!;
      const role = keyset.roleAt(key, nowMs);
      return { kid, role, createdAt, activateAt, retireAt, destroyAt, emergency: emergency === true };
    }),
    replicas: replicas.map(({ address, report }) => ({
      address,
      reachable: report !== undefined,
      primary: report?.keys.find((key) => key.role === 'primary')?.kid,
      missing: report === undefined ? [] : missingKids(report, kids),
      outcome: report?.outcome,
    })),
  };
}

export function toTable({ keys, replicas }: Status): string {
  const keyRows = keys.map((key) => [
    key.kid,
    key.emergency ? `${key.role}, emergency` : key.role,
    key.createdAt,
    key.activateAt,
    key.retireAt ?? 'never',
    key.destroyAt ?? 'never',
  ]);
  const replicaRows = replicas.map(({ address, reachable, primary, missing, outcome }) => {
    if (!reachable) return [address, 'unreachable', '', ''];
    return [address, primary ?? 'none', missing.join(' ') || 'nothing', outcome === 'ok' ? 'good' : 'bad'];
  });
  const tables = [['KEY', 'ROLE', 'CREATED', 'SEALS FROM', 'RETIRES', 'DESTROYED'], ...keyRows];
  if (replicas.length === 0) return aligned(tables);
  return `${aligned(tables)}\n${aligned([['ROUTER', 'SEALS WITH', 'LACKS', 'ITS FILE IS'], ...replicaRows])}`;
}

/** Keys that a router needs now; one that dies within the skew of clocks is not missed. */
function openingKids(keyset: Keyset, nowMs: number): readonly string[] {
  const isNeeded = (role: KeyRole): boolean => role === 'primary' || role === 'staged' || role === 'previous';
  return keyset.keys.filter((key) => isNeeded(keyset.roleAt(key, nowMs + CLOCK_SKEW_MS))).map((key) => key.kid);
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_head, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
