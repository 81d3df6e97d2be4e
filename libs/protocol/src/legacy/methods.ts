/** The requests that the revisions of 2025 define and we serve. */
import type { ModernMethod } from '../methods.js';

/** Served by the same steps as those of a modern client. */
export const LEGACY_SHARED_METHODS = [
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
] as const satisfies readonly ModernMethod[];
export type LegacySharedMethod = (typeof LEGACY_SHARED_METHODS)[number];

/** About the session, and gone with it. */
export const LEGACY_SESSION_METHODS = [
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
] as const;
export type LegacySessionMethod = (typeof LEGACY_SESSION_METHODS)[number];

const SHARED = new Set<unknown>(LEGACY_SHARED_METHODS);
const OF_SESSION = new Set<unknown>(LEGACY_SESSION_METHODS);

export function isLegacySharedMethod(method: unknown): method is LegacySharedMethod {
  return SHARED.has(method);
}

export function isLegacySessionMethod(method: unknown): method is LegacySessionMethod {
  return OF_SESSION.has(method);
}
