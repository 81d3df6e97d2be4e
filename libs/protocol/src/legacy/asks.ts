/**
 * An ask as a request that an older revision knows. Meaning is never lost silently: what the revision has no words for is
 * left out only where the answer is checked against the full form afterwards, and refused otherwise.
 */
import { isJsonObject, setOwn, type JsonObject } from '../json-object.js';
import type { AskShape } from '../modern/capabilities.js';
import { LEGACY_FEATURES, type LegacyRevision } from './revisions.js';

/** `elicitationId` names an ask by url. @returns the request's params, or why the revision cannot be asked this. */
export function legacyAskParams(
  ask: AskShape,
  revision: LegacyRevision,
  elicitationId: string,
): { readonly params: JsonObject | undefined } | { readonly refused: string } {
  if (ask.method !== 'elicitation/create') return { params: ask.params };
  const { forms, urls } = LEGACY_FEATURES[revision];
  const params = ask.params ?? {};
  if (params['mode'] === 'url')
    return urls ? { params: { ...params, elicitationId } } : { refused: 'its revision has no asks by url' };
  if (forms === 'full') return { params };
  if (forms === 'none') return { refused: 'its revision has no forms' };
  const { mode: _mode, ...rest } = params;
  const requestedSchema = flatSchema(params['requestedSchema']);
  return typeof requestedSchema === 'string' ? { refused: requestedSchema } : { params: { ...rest, requestedSchema } };
}

function flatSchema(schema: unknown): JsonObject | string {
  const { properties, required } = isJsonObject(schema) ? schema : {};
  const flat: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(isJsonObject(properties) ? properties : {})) {
    const made = isJsonObject(field) ? flatField(field) : undefined;
    if (made === undefined) return `its revision has no form with a choice of several, as ${JSON.stringify(name)} is`;
    setOwn(flat, name, made);
  }
  return { type: 'object', properties: flat, ...(required !== undefined && { required }) };
}

/** Undefined for a choice of several: answers to it are lists, which the revision does not have. */
function flatField(field: JsonObject): JsonObject | undefined {
  if (field['type'] === 'array') return undefined;
  const { oneOf, ...rest } = field;
  const { default: preset, ...bare } = rest;
  const kept = field['type'] === 'boolean' && preset !== undefined ? rest : bare;
  if (!Array.isArray(oneOf)) return kept;
  const options = oneOf.filter(isJsonObject);
  return { ...kept, enum: options.map((option) => option['const']), enumNames: options.map(({ title }) => title) };
}
