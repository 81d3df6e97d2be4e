import { describe, expect, it } from '@jest/globals';
import { figuresOf, mergeFigures } from './store-figures.js';

const INFO = [
  '# Memory',
  'used_memory:1048576',
  'used_memory_human:1.00M',
  'maxmemory:4194304',
  'maxmemory_policy:noeviction',
  'connected_slaves:2',
  'evicted_keys:3',
  '',
].join('\r\n');
const FIGURES = { memoryUsedBytes: 1_048_576, memoryMaxBytes: 4_194_304, connectedReplicas: 2, evictedKeys: 3 };

describe('the figures of Redis', () => {
  it('are read from its INFO', () => {
    expect(figuresOf(INFO)).toEqual(FIGURES);
  });

  it.each(['used_memory', 'maxmemory', 'connected_slaves', 'evicted_keys'])('are unknown without %s', (name) => {
    expect(figuresOf(INFO.replace(`${name}:`, `x_${name}:`))).toBeUndefined();
  });

  it.each(['', 'used_memory:1', INFO.replace('1048576', 'many')])('are unknown in %j', (info) => {
    expect(figuresOf(info)).toBeUndefined();
  });

  it('of several primaries are their sums, and the fewest replicas', () => {
    expect(mergeFigures([FIGURES, { ...FIGURES, connectedReplicas: 1 }])).toEqual({
      memoryUsedBytes: 2_097_152,
      memoryMaxBytes: 8_388_608,
      connectedReplicas: 1,
      evictedKeys: 6,
    });
  });

  it('are unknown when one of several primaries does not tell', () => {
    expect(mergeFigures([FIGURES, undefined])).toBeUndefined();
    expect(mergeFigures([])).toBeUndefined();
  });
});
