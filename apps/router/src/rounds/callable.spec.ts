import { describe, expect, it } from '@jest/globals';
import { CatalogueSnapshot } from '../catalogue/snapshot.js';
import type { Exchange } from '../intake/exchange.js';
import { assertCallable } from './callable.js';

const snapshot = new CatalogueSnapshot([], { pageSize: 10, ttlMs: 0, meta: '{}' });
const call = (method: string, params: Record<string, unknown>): Exchange => ({ method, params }) as unknown as Exchange;

describe.each([
  ['tools/call', { name: 'x' }],
  ['prompts/get', { name: 'x' }],
  ['resources/read', { uri: 'x://y' }],
])('a target of %s that nobody serves', (method, params) => {
  it('is unknown once every group has said what it offers', () => {
    const known = { snapshot, whyNotReady: () => undefined };
    expect(() => assertCallable(call(method, params), known)).toThrow(
      expect.objectContaining({ row: expect.objectContaining({ rpcCode: -32602 }) }),
    );
  });

  it('may be served soon while a group is still silent: not for good, but later [B11]', () => {
    const starting = { snapshot, whyNotReady: () => 'no worker yet in notes' };
    expect(() => assertCallable(call(method, params), starting)).toThrow(
      expect.objectContaining({ code: 'worker_unavailable', retryAfterS: 1 }),
    );
  });

  it('is malformed first, whatever is known', () => {
    const starting = { snapshot, whyNotReady: () => 'no worker yet in notes' };
    expect(() => assertCallable(call(method, { name: 5 }), starting)).toThrow(/must be a string/);
  });
});
