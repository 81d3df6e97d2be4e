import { describe, expect, it } from '@jest/globals';
import { until } from './until.js';

describe('until', () => {
  it.each([(value: boolean) => value, (value: boolean) => Promise.resolve(value)])(
    'waits for what comes true',
    async (as) => {
      let asked = 0;
      await until(() => as((asked += 1) === 3));
      expect(asked).toBe(3);
    },
  );

  it('gives up after its time', async () => {
    await expect(until(() => false, 20)).rejects.toThrow('did not come true in time');
  });

  it('passes on what the question throws', async () => {
    await expect(until(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
