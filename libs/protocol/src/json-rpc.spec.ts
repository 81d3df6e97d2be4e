import { describe, expect, it } from '@jest/globals';
import { isRequestId } from './json-rpc.js';

describe('isRequestId', () => {
  it.each(['', 'a', '0', 0, -1, 1, Number.MAX_SAFE_INTEGER])('takes %j', (id) => {
    expect(isRequestId(id)).toBe(true);
  });

  it.each([null, undefined, true, {}, [], [1], 1.5, Number.NaN, Infinity, 2 ** 53, -(2 ** 53), 1e300])(
    'refuses %p [B56]',
    (id) => {
      expect(isRequestId(id)).toBe(false);
    },
  );
});
