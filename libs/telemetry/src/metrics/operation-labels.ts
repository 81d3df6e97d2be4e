/** Labels of an operation that router and worker put alike. None has a value that a caller could make up (OBS-10). */

/** For a method outside the known ones. */
export const OTHER_METHOD = '_OTHER';
export const NETWORK_TRANSPORT = 'tcp';
export const CANCELLED = 'cancelled';

/** Of both eras: who still speaks an old one is worth a label. */
const REVISIONS: ReadonlySet<unknown> = new Set(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']);

export function versionLabel(version: unknown): string {
  return REVISIONS.has(version) ? (version as string) : '';
}

/** What a worker's error reply is, by its code: `error_type`, and the JSON-RPC code that becomes of it. */
export const WORKER_ERROR_LABELS = {
  unknown_target: ['', '-32602'],
  resource_not_found: ['', '-32602'],
  invalid_params: ['', '-32602'],
  missing_capability: ['-32021', '-32021'],
  flow_changed: ['-32603', '-32603'],
  too_many_rounds: ['-32603', '-32603'],
  cancelled: [CANCELLED, ''],
  draining: ['unavailable', '-32603'],
  failed: ['-32603', '-32603'],
} as const;
