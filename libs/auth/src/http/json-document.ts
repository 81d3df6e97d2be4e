/** Reads a JSON object from an authorization server, or says that its answer is none. */
import { RoundhouseError } from '@roundhouse/errors';
import { unavailable, type GuardedFetch, type OutboundRequest } from './guarded-fetch.js';

export type JsonDocument = Readonly<Record<string, unknown>>;

/** Undefined when the server has no such document (404). @throws RoundhouseError `authorization_unavailable` */
export async function fetchDocument(fetch: GuardedFetch, request: OutboundRequest): Promise<JsonDocument | undefined> {
  const { status, text } = await fetch.send(request);
  if (status === 404) return undefined;
  if (status !== 200) throw refusedAnswer(request.url, `it answered ${status}`);
  const document = parseObject(text);
  if (document === undefined) throw refusedAnswer(request.url, 'its answer is not a JSON object');
  return document;
}

export function refusedAnswer(url: URL, words: string): RoundhouseError {
  return unavailable('issuer_answer_refused', url, new Error(words));
}

function parseObject(text: string): JsonDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonDocument) : undefined;
  } catch {
    // The parser would quote its input.
    return undefined;
  }
}
