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

  it('rotate keys beside the faults of the short run, and in no other', () => {
    expect(parse()).toMatchObject({ hasFaults: true, rotationsMs: 10_000 });
    for (const args of [['--minutes', '5'], ['--only', 'clock'], ['--unsafe-no-fence']])
      expect(parse(...args)).toMatchObject({ hasFaults: true, rotationsMs: undefined });
  });

  it('rotate keys and break nothing when told so, for as long as told', () => {
    const alone = { hasFaults: false, showsTeeth: false };
    expect(parse('--rotations')).toMatchObject({ ...alone, rotationsMs: 10_000 });
    expect(parse('--rotations', '--minutes', '2', '--seed', '7')).toMatchObject({
      ...alone,
      rotationsMs: 120_000,
      seed: 7,
    });
  });

  it.each([['--only', 'clock'], ['--unsafe-no-fence']])('do not rotate keys alone with %s %s', (...args) => {
    expect(() => parse('--rotations', ...args.filter((arg) => arg !== undefined))).toThrow('--rotations');
  });

  it('put clients of both eras side by side and break nothing else when told so, and in no other run', () => {
    const alone = { hasFaults: false, showsTeeth: false, rotationsMs: undefined };
    expect(parse('--eras')).toMatchObject({ ...alone, erasMs: 20_000 });
    expect(parse('--eras', '--minutes', '2')).toMatchObject({ ...alone, erasMs: 120_000 });
    for (const args of [[], ['--minutes', '5'], ['--rotations']]) expect(parse(...args).erasMs).toBeUndefined();
  });

  it.each([['--only', 'clock'], ['--unsafe-no-fence'], ['--rotations'], ['--minutes', '0.3']])(
    'do not put eras side by side with %s %s',
    (...args) => {
      expect(() => parse('--eras', ...args.filter((arg) => arg !== undefined))).toThrow(TypeError);
    },
  );

  it('give a rotation no less than it needs', () => {
    expect(() => parse('--rotations', '--minutes', '0.1')).toThrow('--minutes');
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
