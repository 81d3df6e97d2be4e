import { describe, expect, it } from '@jest/globals';
import { parseFaultOptions } from './options.js';

const parse = (...args: string[]) => parseFaultOptions(args, () => 42);

describe('options of a fault run', () => {
  it('are half a minute of everything, with a run that must fail, unless told otherwise', () => {
    expect(parse()).toMatchObject({ loadMs: 20_000, seed: 42, isFenced: true, showsTeeth: true, json: false });
  });

  it('ask of a long run every fault and 4,000 claims a minute', () => {
    const { faults, faultsMin, claimsMin, loadMs } = parse('--minutes', '5');
    expect({ claimsMin, loadMs, faultsMin }).toEqual({ claimsMin: 20_000, loadMs: 300_000, faultsMin: faults.length });
  });

  it.each([['--minutes', '5'], ['--only', 'flushall'], ['--unsafe-no-fence']])(
    'add no run that must fail to %s %s',
    (...args) => {
      expect(parse(...args.filter((arg) => arg !== undefined)).showsTeeth).toBe(false);
    },
  );

  it('take the seed of an earlier run and the faults in the order given', () => {
    const { seed, faults } = parse('--seed', '7', '--only', 'flushall', '--only', 'clock');
    expect([seed, ...faults.map(({ name }) => name)]).toEqual([7, 'flushall', 'clock']);
  });

  it.each([
    ['--minutes', 'five'],
    ['--minutes', '-1'],
    ['--minutes', '1441'],
    ['--seed', '0x1'],
    ['--seed', '4294967296'],
    ['--only', 'rain'],
    ['--color', '1'],
  ])('do not include %s %s', (...args) => {
    expect(() => parse(...args)).toThrow(args[0]);
  });
});
