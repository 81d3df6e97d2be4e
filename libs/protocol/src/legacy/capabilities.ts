/**
 * What a client of an older revision can be asked, from what it declared once in `initialize`: reduced to what its
 * revision knows and we ask for, so that it fits into a session id and reads like a modern declaration.
 */
import { isJsonObject, ownMember, type JsonObject } from '../json-object.js';
import { LEGACY_FEATURES, type LegacyRevision } from './revisions.js';

export function legacyCapabilities(declared: JsonObject, revision: LegacyRevision): Record<string, unknown> {
  const { forms, urls, samplingTools } = LEGACY_FEATURES[revision];
  const elicitation = ownMember(declared, 'elicitation');
  const sampling = ownMember(declared, 'sampling');
  const kept: Record<string, unknown> = {};
  if (isJsonObject(elicitation) && forms !== 'none') {
    const namesUrl = urls && isJsonObject(ownMember(elicitation, 'url'));
    const namesForm = isJsonObject(ownMember(elicitation, 'form'));
    kept['elicitation'] = { ...((namesForm || !namesUrl) && { form: {} }), ...(namesUrl && { url: {} }) };
  }
  if (isJsonObject(sampling)) {
    const tools = samplingTools && isJsonObject(ownMember(sampling, 'tools'));
    kept['sampling'] = tools ? { tools: {} } : {};
  }
  if (isJsonObject(ownMember(declared, 'roots'))) kept['roots'] = {};
  return kept;
}
