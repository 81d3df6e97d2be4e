import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { isAt, takeMcp } from './take-mcp.js';

describe('isAt', () => {
  it.each([
    '/mcp',
    '/mcp?',
    '/mcp?session=1',
    '/mcp?a=/b?c',
    'http://mcp.example/mcp',
    'http://mcp.example:3000/mcp?a=1',
  ])('finds /mcp in %j', (target) => {
    expect(isAt('/mcp', target)).toBe(true);
  });

  it.each([
    '',
    '/',
    '*',
    '/mc',
    '/mcp/',
    '/mcpx',
    '/mcp#x',
    '/MCP',
    '//mcp',
    '/x/mcp',
    '/%6dcp',
    '/.well-known/oauth-protected-resource/mcp',
    'mcp',
    'mcp.example:443',
    'http://mcp.example/mcp/x',
    'http://mcp.example/x?/mcp',
    'http://[',
  ])('does not find /mcp in %j', (target) => {
    expect(isAt('/mcp', target)).toBe(false);
  });

  it('finds the root, which every path begins with', () => {
    expect(isAt('/', '/')).toBe(true);
    expect(isAt('/', '/?a=1')).toBe(true);
    expect(isAt('/', '/mcp')).toBe(false);
  });
});

describe('takeMcp', () => {
  it('gives the endpoint what is asked of it, whatever the verb, and leaves the rest', () => {
    const handled: (string | undefined)[] = [];
    const take = takeMcp('/mcp', { handle: async ({ method }) => void handled.push(method) });
    const ask = (method: string, url: string): boolean =>
      take({ method, url } as IncomingMessage, {} as ServerResponse);
    expect(['POST', 'GET', 'TRACE'].map((method) => ask(method, '/mcp'))).toEqual([true, true, true]);
    expect(ask('POST', '/other')).toBe(false);
    expect(handled).toEqual(['POST', 'GET', 'TRACE']);
  });
});
