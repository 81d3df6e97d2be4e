import { describe, expect, it } from '@jest/globals';
import { parseAuthorization } from './authorization-header.js';

describe('parseAuthorization', () => {
  it.each([
    ['Bearer abc', { scheme: 'bearer', token: 'abc' }],
    ['bearer abc', { scheme: 'bearer', token: 'abc' }],
    ['BEARER   abc ', { scheme: 'bearer', token: 'abc' }],
    ['DPoP abc', { scheme: 'dpop', token: 'abc' }],
    ['Bearer a b', { scheme: 'bearer', token: 'a b' }],
  ])('reads %j', (header, credentials) => {
    expect(parseAuthorization(header)).toEqual(credentials);
  });

  it.each([undefined, '', 'Basic YTpi', 'Bearerabc', 'abc', 'Negotiate', ' Bearer abc'])(
    'finds nothing in %j',
    (header) => {
      expect(parseAuthorization(header)).toBeUndefined();
    },
  );

  it.each(['Bearer', 'Bearer ', 'DPoP   '])('refuses %j, which has no token', (header) => {
    expect(() => parseAuthorization(header)).toThrow(expect.objectContaining({ code: 'authorization_malformed' }));
  });
});
