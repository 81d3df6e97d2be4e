/** The answer to server/discover: the same for everybody, built once (A-17..A-19). */
import { Buffer } from 'node:buffer';
import { SERVED_REVISIONS } from '@roundhouse/protocol';
import { RESULT_META } from '../rounds/server-identity.js';

/** Everything the router can route is declared whether or not a worker offers it today: lists may be empty. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

export function discoverResult(ttlMs: number): Buffer {
  const head = JSON.stringify({
    resultType: 'complete',
    supportedVersions: SERVED_REVISIONS,
    capabilities: CAPABILITIES,
    ttlMs,
    cacheScope: 'public',
  });
  return Buffer.from(`${head.slice(0, -1)},"_meta":${RESULT_META}}`);
}
