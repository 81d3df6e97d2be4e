import { describe, expect, it } from '@jest/globals';
import { protectedResourceOf } from './protected-resource.js';

const resourceAt = (url: string): ReturnType<typeof protectedResourceOf> =>
  protectedResourceOf({
    publicUrl: new URL(url),
    issuers: ['https://login.example.com'],
    scopesSupported: ['mcp:read'],
    dpop: 'off',
  });

describe('the metadata of a resource [B97]', () => {
  it.each([
    ['https://gw.example.com/mcp', 'https://gw.example.com/.well-known/oauth-protected-resource/mcp'],
    ['https://gw.example.com/team-a/mcp', 'https://gw.example.com/.well-known/oauth-protected-resource/team-a/mcp'],
    ['https://gw.example.com:8443/a/b', 'https://gw.example.com:8443/.well-known/oauth-protected-resource/a/b'],
  ])('of %s is at %s', (url, metadataUrl) => {
    expect(String(resourceAt(url).metadataUrl)).toBe(metadataUrl);
  });
});
