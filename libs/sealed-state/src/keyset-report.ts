/**
 * What a router tells an operator about its keyset, and how the rotation tool reads it: ids, roles and times, never
 * material. Both ends live in this file so that they cannot drift apart. Trusts nothing it parses.
 */
import type { KeyRole, Keyset } from './keyset.js';

/** Path of the report on a router's admin port. */
export const KEYSET_REPORT_PATH = '/keyz';
/** Largest report that is read, in characters: about 300 keys, where the largest keyset file holds a hundred. */
export const KEYSET_REPORT_CHARS_MAX = 32 * 1024;

const ROLES: readonly unknown[] = ['primary', 'staged', 'previous', 'disabled', 'destroyed'] satisfies KeyRole[];

export interface KeysetReport {
  readonly keys: readonly { readonly kid: string; readonly role: KeyRole; readonly activateAt: string }[];
  /** RFC 3339 in UTC. */
  readonly loadedAt: string;
  /** `error` while the file is bad and an older keyset stands in for it. */
  readonly outcome: 'ok' | 'error';
}

export function reportKeyset(
  keyset: Keyset,
  at: { readonly nowMs: number; readonly loadedAtMs: number; readonly outcome: 'ok' | 'error' },
): KeysetReport {
  return {
    keys: keyset.keys.map((key) => ({
      kid: key.kid,
      role: keyset.roleAt(key, at.nowMs),
      activateAt: new Date(key.activateAtMs).toISOString(),
    })),
    loadedAt: new Date(at.loadedAtMs).toISOString(),
    outcome: at.outcome,
  };
}

/** The report, or undefined for anything that is none. Unknown members are passed over: a newer router may say more. */
export function parseKeysetReport(text: string): KeysetReport | undefined {
  if (text.length > KEYSET_REPORT_CHARS_MAX) return undefined;
  const report = parseJson(text);
  if (!isObject(report) || !Array.isArray(report['keys']) || !report['keys'].every(isKey)) return undefined;
  const { keys, loadedAt, outcome } = report as unknown as KeysetReport;
  if (typeof loadedAt !== 'string' || (outcome !== 'ok' && outcome !== 'error')) return undefined;
  return { keys, loadedAt, outcome };
}

function isKey(key: unknown): boolean {
  if (!isObject(key)) return false;
  return typeof key['kid'] === 'string' && ROLES.includes(key['role']) && typeof key['activateAt'] === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
