/**
 * What an authorization server publishes about itself (RFC 8414, OpenID Connect Discovery), found in the order that MCP
 * asks for. A document that names another issuer is not its own and is thrown away.
 */
import { refusedAnswer, fetchDocument, type JsonDocument } from '../http/json-document.js';
import type { GuardedFetch } from '../http/guarded-fetch.js';

/** The largest documents in use are about 10 KiB. */
export const METADATA_BYTES_MAX = 64 * 1024;

export interface IssuerMetadata {
  readonly jwksUri: string | undefined;
  readonly introspectionEndpoint: string | undefined;
}

/** @throws RoundhouseError `authorization_unavailable` */
export async function fetchIssuerMetadata(issuer: string, fetch: GuardedFetch): Promise<IssuerMetadata> {
  const document = await fetchIssuerDocument(issuer, fetch);
  return {
    jwksUri: textOf(document, 'jwks_uri'),
    introspectionEndpoint: textOf(document, 'introspection_endpoint'),
  };
}

/** All of it, ours to read or not. @throws RoundhouseError `authorization_unavailable` */
export async function fetchIssuerDocument(issuer: string, fetch: GuardedFetch): Promise<JsonDocument> {
  for (const url of metadataUrlsOf(issuer)) {
    const document = await fetchDocument(fetch, { url, bytesMax: METADATA_BYTES_MAX });
    if (document === undefined) continue;
    if (document['issuer'] !== issuer) throw refusedAnswer(url, 'its metadata names another issuer');
    return document;
  }
  throw refusedAnswer(new URL(issuer), 'it has no metadata');
}

/** C-21: the RFC 8414 form first, then OpenID's inserted and appended forms. */
export function metadataUrlsOf(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const forms = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`];
  if (path !== '') forms.push(`${path}/.well-known/openid-configuration`);
  return forms.map((form) => new URL(form, origin));
}

function textOf(document: JsonDocument, name: string): string | undefined {
  const value = document[name];
  return typeof value === 'string' ? value : undefined;
}
