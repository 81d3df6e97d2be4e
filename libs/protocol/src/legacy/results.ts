/**
 * A complete result as an older revision knows it. What the modern revision put around it is cut off as text; the
 * result itself is read only where it may hold something the revision lacks.
 */
import { isJsonObject, setOwn, type JsonObject } from '../json-object.js';
import { LEGACY_FEATURES, type LegacyRevision } from './revisions.js';

const HEAD = '{"resultType":"complete",';
const HINTS = /,"ttlMs":\d+,"cacheScope":"(?:public|private)"$/;

export interface ModernResult {
  /** JSON text that begins with `resultType` and ends with `_meta`. */
  readonly text: string;
  /** JSON text of a `_meta` that says nothing but who we are. */
  readonly bareMeta: string;
}

export function legacyResult({ text, bareMeta }: ModernResult, revision: LegacyRevision): string {
  const tail = `,"_meta":${bareMeta}}`;
  const end = text.endsWith(tail) ? text.length - tail.length : undefined;
  const body = text.slice(HEAD.length, end);
  const bare = end === undefined ? `{${body}` : `{${body.replace(HINTS, '')}}`;
  return mayLack(bare, revision) ? JSON.stringify(reduce(JSON.parse(bare) as JsonObject, revision)) : bare;
}

/** A glance that may err on the safe side. */
function mayLack(text: string, revision: LegacyRevision): boolean {
  if (text.includes('"structuredContent"') || text.includes('"cacheScope"')) return true;
  const { titles, icons } = LEGACY_FEATURES[revision];
  return (!titles && /"(?:resource_link|title|icons)"/.test(text)) || (!icons && text.includes('"icons"'));
}

function reduce(result: JsonObject, revision: LegacyRevision): JsonObject {
  const { structured } = LEGACY_FEATURES[revision];
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(result)) {
    if (name === 'ttlMs' || name === 'cacheScope') continue;
    // Other values than objects are there as text as well (SEP-2106).
    if (name === 'structuredContent' && !(structured && isJsonObject(value))) continue;
    const isContent = (name === 'content' || name === 'contents' || name === 'messages') && Array.isArray(value);
    setOwn(kept, name, isContent ? value.map((block) => reduceBlock(block, revision)) : value);
  }
  return kept;
}

function reduceBlock(block: unknown, revision: LegacyRevision): unknown {
  if (!isJsonObject(block)) return block;
  const { titles, icons } = LEGACY_FEATURES[revision];
  if (isJsonObject(block['content'])) return { ...block, content: reduceBlock(block['content'], revision) };
  if (block['type'] === 'resource_link' && !titles) return linkAsText(block);
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(block)) {
    if ((name === 'title' && !titles) || (name === 'icons' && !icons)) continue;
    setOwn(kept, name, value);
  }
  return kept;
}

function linkAsText({ name, uri }: JsonObject): JsonObject {
  return { type: 'text', text: typeof name === 'string' ? `${name}: ${String(uri)}` : String(uri) };
}
