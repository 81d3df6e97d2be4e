/**
 * One page of a list as an older revision knows it: made from the modern page, so that both eras list the same entries
 * in the same order under the same cursors.
 */
import { isJsonObject, setOwn } from '../json-object.js';
import { LEGACY_FEATURES, type LegacyRevision } from './revisions.js';

/** Of the modern revision, and of nobody else's concern. */
const PAGE_MEMBERS = new Set(['resultType', 'ttlMs', 'cacheScope', '_meta']);

/** `page` is the JSON text of a result that we made. */
export function legacyListPage(page: string, revision: LegacyRevision): string {
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(JSON.parse(page) as object)) {
    if (PAGE_MEMBERS.has(name)) continue;
    made[name] = Array.isArray(value) ? value.map((entry) => legacyEntry(entry, revision)) : value;
  }
  return JSON.stringify(made);
}

function legacyEntry(entry: unknown, revision: LegacyRevision): unknown {
  if (!isJsonObject(entry)) return entry;
  const { structured, titles, icons } = LEGACY_FEATURES[revision];
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    if (name === 'outputSchema' && !(structured && isObjectSchema(value))) continue;
    if (name === 'title' && !titles) continue;
    if (name === 'icons' && !icons) continue;
    setOwn(kept, name, name === 'arguments' && !titles ? withoutTitles(value) : value);
  }
  return kept;
}

function isObjectSchema(schema: unknown): boolean {
  return isJsonObject(schema) && schema['type'] === 'object';
}

function withoutTitles(promptArguments: unknown): unknown {
  if (!Array.isArray(promptArguments)) return promptArguments;
  return promptArguments.map((each) => {
    if (!isJsonObject(each)) return each;
    const { title: _title, ...rest } = each;
    return rest;
  });
}
