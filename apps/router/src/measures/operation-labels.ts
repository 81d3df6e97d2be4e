/** Labels of an operation, none of which a caller can make up (OBS-10). */
import { isModernMethod } from '@roundhouse/protocol';
import type { Route } from '../catalogue/route.js';

const OTHER = '_OTHER';
/** Of both eras: who still speaks an old one is worth a label. */
const REVISIONS: ReadonlySet<unknown> = new Set(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']);

export const TRANSPORT = 'tcp';

export function methodLabel(method: string): string {
  return isModernMethod(method) ? method : OTHER;
}

/** Routes come from the catalogue, so their names are known ones. */
export function toolLabel(route: Route | undefined): string {
  return route?.kind === 'tools' ? route.publicName : '';
}

export function promptLabel(route: Route | undefined): string {
  return route?.kind === 'prompts' ? route.publicName : '';
}

export function versionLabel(version: string | readonly string[] | undefined): string {
  return REVISIONS.has(version) ? (version as string) : '';
}
