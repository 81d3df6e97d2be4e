import { describe, expect, it } from '@jest/globals';
import { namesIn } from './promql.js';

describe('names in PromQL', () => {
  it('finds metrics, the labels they are selected by, and labels of groups', () => {
    const expression =
      'histogram_quantile(0.95, sum by (le, tool) (rate(calls_bucket{job=~"$job", kind!="a"}[5m]))) / on (job) x';
    expect(namesIn(expression)).toEqual({
      metrics: ['calls_bucket', 'x'],
      selected: [
        ['calls_bucket', 'job'],
        ['calls_bucket', 'kind'],
      ],
      grouped: ['le', 'tool', 'job'],
    });
  });

  it('takes neither functions nor operators, numbers, durations or values of labels for metrics', () => {
    const expression =
      'clamp_min(a:b:rate5m offset 10m, 0) > 14.4 * 1e3 and c unless vector(0) or d{text="e{f=1} or g"}[5m:1m]';
    expect(namesIn(expression)).toEqual({
      metrics: ['a:b:rate5m', 'c', 'd'],
      selected: [['d', 'text']],
      grouped: [],
    });
  });

  it('finds labels of every way to group', () => {
    const expression = 'a * on (b) group_left (c) d + sum without (e) (f) + ignoring (g) h';
    expect(namesIn(expression).grouped).toEqual(['b', 'c', 'e', 'g']);
    expect(namesIn(expression).metrics).toEqual(['a', 'd', 'f', 'h']);
  });
});
