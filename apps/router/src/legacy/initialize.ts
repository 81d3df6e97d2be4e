/** The handshake of older revisions: what is settled in it, and what is answered (K-11). */
import { RoundhouseError } from '@roundhouse/errors';
import {
  LEGACY_FEATURES,
  isJsonObject,
  legacyCapabilities,
  type JsonObject,
  type LegacyRevision,
} from '@roundhouse/protocol';
import { CAPABILITIES } from '../catalogue/discover.js';
import { SERVER_INFO } from '../rounds/server-identity.js';
import type { SessionTerms } from './session-sealer.js';

/** `served` is not empty, newest first. @throws RoundhouseError `invalid_params` */
export function negotiate(params: JsonObject, served: readonly LegacyRevision[]): SessionTerms {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== 'string') throw invalid('protocolVersion must be a string');
  if (!isJsonObject(capabilities)) throw invalid('capabilities must be an object');
  if (!isJsonObject(clientInfo) || typeof clientInfo['name'] !== 'string') throw invalid('clientInfo must have a name');
  const revision = served.find((each) => each === protocolVersion) ?? served[0];
  if (revision === undefined) throw new RoundhouseError('unsupported_version');
  return { revision, capabilities: legacyCapabilities(capabilities, revision) };
}

export function initializeResult(revision: LegacyRevision): string {
  const { title: _title, ...untitled } = SERVER_INFO;
  const serverInfo = LEGACY_FEATURES[revision].titles ? SERVER_INFO : untitled;
  return JSON.stringify({ protocolVersion: revision, capabilities: CAPABILITIES, serverInfo });
}

function invalid(detail: string): RoundhouseError {
  return new RoundhouseError('invalid_params', { detail });
}
