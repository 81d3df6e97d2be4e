import { describe, expect, it } from '@jest/globals';
import { Counters } from './counters.js';
import { Histograms } from './histograms.js';
import { Readings } from './readings.js';
import { SERIES_MAX } from './series-tree.js';

const opens = () => new Counters('roundhouse_request_state_opens_total');

describe('counters', () => {
  it('keep a series for each set of label values', () => {
    const family = opens();
    family.add(['k', 'primary', 'ok']);
    family.add(['k', 'primary', 'ok'], 2);
    family.add(['k', 'previous', 'ok']);
    expect([...family.samples()]).toEqual([
      { labels: { kid: 'k', role: 'primary', outcome: 'ok' }, value: 3 },
      { labels: { kid: 'k', role: 'previous', outcome: 'ok' }, value: 1 },
    ]);
  });

  it('leave an empty label out and do not mistake it for another', () => {
    const family = opens();
    family.add(['', 'none', 'malformed']);
    family.add(['none', '', 'malformed']);
    expect([...family.samples()].map(({ labels }) => labels)).toEqual([
      { role: 'none', outcome: 'malformed' },
      { kid: 'none', outcome: 'malformed' },
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('take %s for a value like any other', (kid) => {
    const family = opens();
    family.add([kid, kid, kid]);
    family.add([kid, kid, kid]);
    expect([...family.samples()]).toEqual([{ labels: { kid, role: kid, outcome: kid }, value: 2 }]);
  });

  it('show a series that was begun before anything happened', () => {
    expect([...new Counters('roundhouse_policy_reloads_total').begin(['ok'], ['error']).samples()]).toEqual([
      { labels: { outcome: 'ok' }, value: 0 },
      { labels: { outcome: 'error' }, value: 0 },
    ]);
  });

  it('forget what is gone and keep the count of the rest', () => {
    const gone = new Set<string>();
    const family = new Counters('roundhouse_request_state_opens_total', ([kid = '']) => gone.has(kid));
    family.add(['gone', 'primary', 'ok']);
    family.add(['here', 'primary', 'ok'], 5);
    expect([...family.samples()]).toHaveLength(2);
    gone.add('gone');
    expect([...family.samples()]).toHaveLength(1);
    family.add(['here', 'primary', 'ok']);
    expect([...family.samples()]).toEqual([{ labels: { kid: 'here', role: 'primary', outcome: 'ok' }, value: 6 }]);
  });

  it('have no more series than their limit, and lose no count beyond it', () => {
    const family = opens();
    for (let n = 0; n < SERIES_MAX + 500; n += 1) family.add([`k${n}`, 'primary', 'ok']);
    const samples = [...family.samples()];
    expect(samples).toHaveLength(SERIES_MAX + 1);
    expect(samples.at(-1)).toEqual({ labels: {}, value: 500 });
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(SERIES_MAX + 500);
  });
});

describe('histograms', () => {
  const bucketsOf = (family: Histograms<'roundhouse_mrtr_rounds'>): (string | number)[][] =>
    [...family.samples()]
      .filter(({ suffix }) => suffix === '_bucket')
      .map(({ labels, value }) => [labels['le'] as string, value]);

  it('count a value in the bucket whose bound it equals', () => {
    const family = new Histograms('roundhouse_mrtr_rounds');
    family.observe(['t'], 2);
    expect(bucketsOf(family)).toEqual([['1', 0], ...['2', '3', '4', '5', '7', '10', '+Inf'].map((le) => [le, 1])]);
  });

  it('count a value beyond every bound', () => {
    const family = new Histograms('roundhouse_mrtr_rounds');
    family.observe(['t'], 11);
    expect(bucketsOf(family).at(-2)).toEqual(['10', 0]);
    expect(bucketsOf(family).at(-1)).toEqual(['+Inf', 1]);
  });

  it('keep sum and count without labels', () => {
    const family = new Histograms('roundhouse_added_latency_seconds');
    family.observe([], 0.25);
    family.observe([], 0.5);
    expect([...family.samples()].slice(-2)).toEqual([
      { suffix: '_sum', labels: {}, value: 0.75 },
      { suffix: '_count', labels: {}, value: 2 },
    ]);
  });

  it('keep the latest trace of a bucket, and none for what was not sampled', () => {
    const family = new Histograms('roundhouse_added_latency_seconds');
    family.observe([], 0.0001, 'first');
    family.observe([], 0.0002, 'second');
    family.observe([], 0.0003);
    family.observe([], 2);
    const shown = [...family.samples()].map(({ exemplar }) => exemplar?.traceId);
    expect(shown.filter((traceId) => traceId !== undefined)).toEqual(['second']);
  });
});

describe('readings', () => {
  it('are taken when they are asked for, and never before', () => {
    let calls = 0;
    const family = new Readings('roundhouse_inflight_requests', () => [[[], (calls += 1)]]);
    expect(calls).toBe(0);
    expect([...family.samples()]).toEqual([{ labels: {}, value: 1 }]);
    expect([...family.samples()]).toEqual([{ labels: {}, value: 2 }]);
  });

  it('show nothing where nothing is known', () => {
    expect([...new Readings('roundhouse_replay_config_ok', () => [[[], undefined]]).samples()]).toEqual([]);
  });
});
