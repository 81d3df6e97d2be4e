import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Counters, Histograms, Readings, type Family } from '@roundhouse/telemetry';
import { MetricsPage } from './metrics-page.js';
import { VERSION } from './version.js';

const OPEN = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3';
const TRACE = '5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5';

async function linesOf(families: readonly Family[], accept?: string): Promise<string[]> {
  return (await new MetricsPage(families).read(accept)).body.split('\n');
}

function latency(): Histograms<'roundhouse_added_latency_seconds'> {
  const family = new Histograms('roundhouse_added_latency_seconds');
  family.observe([], 0.0015, TRACE);
  family.observe([], 7);
  return family;
}

describe('the page of metrics', () => {
  it('is in the text format unless OpenMetrics is accepted', async () => {
    const page = new MetricsPage([]);
    expect((await page.read(undefined)).type).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await page.read('*/*')).type).toBe('text/plain; version=0.0.4; charset=utf-8');
    const open = await page.read(OPEN);
    expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(open.body.endsWith('\n# EOF\n')).toBe(true);
  });

  it('has the metrics of the process, once, however many pages there are', async () => {
    for (const accept of [undefined, OPEN, undefined])
      expect(
        (await linesOf([], accept)).filter((line) => line.startsWith('process_resident_memory_bytes ')),
      ).toHaveLength(1);
  });

  it.each([
    [undefined, 'process_cpu_user_seconds_total'],
    [OPEN, 'process_cpu_user_seconds'],
  ])('names a counter as the format wants it (Accept: %s)', async (accept, name) => {
    const policy = new Counters('roundhouse_policy_reloads_total').begin(['ok']);
    const lines = await linesOf([policy], accept);
    expect(lines).toContain(`# TYPE ${name} counter`);
    expect(lines).toContain('roundhouse_policy_reloads_total{outcome="ok"} 0');
    expect(lines.some((line) => line.startsWith('process_cpu_user_seconds_total '))).toBe(true);
  });

  it('cumulates the buckets of a histogram up to infinity', async () => {
    const lines = await linesOf([latency()]);
    expect(lines.filter((line) => line.startsWith('roundhouse_added_latency_seconds'))).toEqual([
      ...['0.0005', '0.001'].map((le) => `roundhouse_added_latency_seconds_bucket{le="${le}"} 0`),
      ...['0.002', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '1'].map(
        (le) => `roundhouse_added_latency_seconds_bucket{le="${le}"} 1`,
      ),
      'roundhouse_added_latency_seconds_bucket{le="+Inf"} 2',
      'roundhouse_added_latency_seconds_sum 7.0015',
      'roundhouse_added_latency_seconds_count 2',
    ]);
  });

  it('shows exemplars in OpenMetrics, and nowhere else', async () => {
    const shown = new RegExp(
      `^roundhouse_added_latency_seconds_bucket\\{le="0.002"\\} 1 # \\{trace_id="${TRACE}"\\} 0.0015 \\d+`,
    );
    expect((await linesOf([latency()], OPEN)).filter((line) => shown.test(line))).toHaveLength(1);
    expect((await linesOf([latency()])).filter((line) => line.includes('trace_id'))).toEqual([]);
  });

  it('shows the first of two families with one name', async () => {
    const [first, second] = [1, 2].map((value) => new Readings('roundhouse_inflight_requests', () => [[[], value]]));
    const lines = await linesOf([first as Family, second as Family]);
    expect(lines.filter((line) => line.startsWith('roundhouse_inflight_requests'))).toEqual([
      'roundhouse_inflight_requests 1',
    ]);
  });

  it('leaves out a value that nobody knows and a label that is empty', async () => {
    const age = new Readings('roundhouse_jwks_age_seconds', () => [
      [['a'], undefined],
      [[''], 3],
    ]);
    expect((await linesOf([age])).filter((line) => line.startsWith('roundhouse_jwks_age_seconds'))).toEqual([
      'roundhouse_jwks_age_seconds 3',
    ]);
  });

  it('keeps a label value that would end its line inside its quotes', async () => {
    const age = new Readings('roundhouse_jwks_age_seconds', () => [[['a"\n\\'], 3]]);
    expect(await linesOf([age])).toContain('roundhouse_jwks_age_seconds{issuer="a\\"\\n\\\\"} 3');
  });
});

describe('the version', () => {
  it('is that of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(VERSION).toBe(version);
  });
});
