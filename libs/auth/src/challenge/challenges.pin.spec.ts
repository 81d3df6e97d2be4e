import { describe, expect, it } from '@jest/globals';
import { protectedResourceOf, type DpopMode } from '../metadata/protected-resource.js';
import { Challenges } from './challenges.js';

const METADATA = 'https://gw.example.com/.well-known/oauth-protected-resource/mcp';
const challenges = (dpop: DpopMode = 'off', scopes = ['mcp:read']): Challenges =>
  new Challenges({ metadataUrl: METADATA, scopes, dpop });

/** What clients parse. Changing a line here is a change of the product, not of a test. */
describe('a challenge', () => {
  it('for a missing token names no error', () => {
    expect(challenges().for('unauthenticated')).toBe(`Bearer resource_metadata="${METADATA}", scope="mcp:read"`);
    expect(challenges('off', []).for('unauthenticated')).toBe(`Bearer resource_metadata="${METADATA}"`);
  });

  it('for a token that is not valid has one fixed description', () => {
    expect(challenges().for('token_invalid')).toBe(
      `Bearer error="invalid_token", error_description="The access token is not valid", resource_metadata="${METADATA}", scope="mcp:read"`,
    );
  });

  it('for a malformed request says so', () => {
    expect(challenges().for('authorization_malformed')).toBe(
      `Bearer error="invalid_request", error_description="The authorization of the request is malformed", resource_metadata="${METADATA}"`,
    );
  });

  it('for a scope too few names all that the operation needs', () => {
    expect(challenges().insufficientScope(['crm:write', 'mcp:read'])).toBe(
      `Bearer error="insufficient_scope", scope="crm:write mcp:read", resource_metadata="${METADATA}", error_description="The access token lacks a scope this needs"`,
    );
  });

  it('for a proof that is not valid is one of the DPoP scheme', () => {
    expect(challenges('optional').for('proof_invalid')).toBe(
      `DPoP error="invalid_dpop_proof", error_description="The DPoP proof is not valid", algs="RS256 PS256 ES256 EdDSA", resource_metadata="${METADATA}"`,
    );
  });

  it('offers both schemes where both will do, and only DPoP where it must be', () => {
    const bound = `DPoP resource_metadata="${METADATA}", scope="mcp:read", algs="RS256 PS256 ES256 EdDSA"`;
    expect(challenges('optional').for('unauthenticated')).toBe(
      `Bearer resource_metadata="${METADATA}", scope="mcp:read", ${bound}`,
    );
    expect(challenges('required').for('unauthenticated')).toBe(bound);
  });

  it.each(['internal', 'state_refused', 'authorization_unavailable', 'host_refused'] as const)(
    'is not made for %s',
    (code) => {
      expect(challenges().for(code)).toBeUndefined();
    },
  );

  it('cannot be ended by what stands in it', () => {
    const hostile = new Challenges({ metadataUrl: 'https://x/"\\\r\nset-cookie: a=b', scopes: [], dpop: 'off' });
    expect(hostile.for('unauthenticated')).toBe(String.raw`Bearer resource_metadata="https://x/\"\\set-cookie: a=b"`);
  });
});

describe('the metadata of the resource', () => {
  const resourceOf = (publicUrl: string, dpop: DpopMode = 'off') =>
    protectedResourceOf({
      publicUrl: new URL(publicUrl),
      issuers: ['https://login.example.com'],
      scopesSupported: ['mcp:read'],
      dpop,
    });

  it('names exactly the address that clients use, its servers and its scopes', () => {
    expect(JSON.parse(resourceOf('https://gw.example.com/team-a/mcp').document)).toEqual({
      resource: 'https://gw.example.com/team-a/mcp',
      authorization_servers: ['https://login.example.com'],
      scopes_supported: ['mcp:read'],
      bearer_methods_supported: ['header'],
    });
  });

  it('lies at the path with the resource’s inserted, and at the root', () => {
    const { paths, metadataUrl } = resourceOf('https://gw.example.com/team-a/mcp');
    expect(paths).toEqual([
      '/.well-known/oauth-protected-resource/team-a/mcp',
      '/.well-known/oauth-protected-resource',
    ]);
    expect(metadataUrl).toBe('https://gw.example.com/.well-known/oauth-protected-resource/team-a/mcp');
  });

  it('of an address without a path lies at the root, and tokens may write it with a slash', () => {
    const { paths, resource, audiences } = resourceOf('https://GW.example.com:443/');
    expect(paths).toEqual(['/.well-known/oauth-protected-resource']);
    expect(resource).toBe('https://gw.example.com');
    expect(audiences).toEqual(['https://gw.example.com', 'https://gw.example.com/']);
  });

  it('tells what proofs are taken, and whether they must be', () => {
    expect(JSON.parse(resourceOf('https://gw.example.com/mcp', 'required').document)).toMatchObject({
      dpop_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      dpop_bound_access_tokens_required: true,
    });
    expect(resourceOf('https://gw.example.com/mcp', 'optional').document).not.toContain('required');
  });
});
