import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { PROMETHEUS_START_TIMEOUT_MS, prometheusPrograms } from '@roundhouse/testing';
import { panelsOf, queriesOf, readDashboards, withChoices, type Panel } from './dashboard-files.js';
import { SCRAPE_LABELS, knownSeries } from './known-series.js';
import { namesIn } from './promql.js';

const DASHBOARDS = readDashboards();
const KNOWN = knownSeries();
const EACH = DASHBOARDS.map((dashboard) => [dashboard.uid, dashboard] as const);
const COLUMNS = 24;

const isOwn = (name: string): boolean => name.startsWith('roundhouse');

describe.each(EACH)('%s', (_uid, dashboard) => {
  const panels = panelsOf(dashboard);
  const queries = queriesOf(dashboard);

  it('reads only metrics that are exported, by labels that they have', () => {
    const wrong = queries.flatMap(({ panel, expression }) => {
      const { metrics, selected, grouped } = namesIn(expression);
      const labels = [...SCRAPE_LABELS, ...metrics.flatMap((metric) => KNOWN.get(metric) ?? [])];
      return [
        ...metrics.filter((metric) => !KNOWN.has(metric)),
        ...selected.filter(([metric, label]) => ![...SCRAPE_LABELS, ...(KNOWN.get(metric) ?? [])].includes(label)),
        ...grouped.filter((label) => !labels.includes(label)),
      ].map((name) => `${panel}: ${String(name)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('names in legends only labels that the query keeps', () => {
    const wrong = queries.filter(({ legend, expression }) =>
      [...legend.matchAll(/\{\{(\w+)\}\}/g)].some(([, label = '']) => !namesIn(expression).grouped.includes(label)),
    );
    expect(wrong).toEqual([]);
  });

  it('says of every panel its unit and what to do with it', () => {
    const mute = panels.filter(
      ({ description = '', fieldConfig }) => description.length < 40 || !fieldConfig?.defaults.unit,
    );
    expect(mute.map(({ title }) => title)).toEqual([]);
  });

  it('has no two panels of one name, and none that lies on another or beyond the edge', () => {
    const titles = panels.map(({ title }) => title);
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > COLUMNS)).toEqual([]);
    const overlapping = panels.filter((one) => panels.some((other) => one.id < other.id && overlap(one, other)));
    expect(overlapping.map(({ title }) => title)).toEqual([]);
  });

  it('has only thresholds that rise', () => {
    const steps = panels.map(({ title, fieldConfig }) => ({
      title,
      values: (fieldConfig?.defaults.thresholds?.steps ?? []).map(({ value }) => value ?? -Infinity),
    }));
    const wrong = steps.filter(({ values }) => values.some((value, at) => at > 0 && value <= (values[at - 1] ?? 0)));
    expect(wrong).toEqual([]);
  });

  it('uses only variables that it lets its reader choose', () => {
    const names = [
      '__rate_interval',
      '__range',
      '__value',
      '__all',
      ...dashboard.templating.list.map(({ name }) => name),
    ];
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name);
    expect([...new Set(used.filter((name) => !names.includes(name)))]).toEqual([]);
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
  });

  it('asks for choices and marks only by metrics that are exported', () => {
    const definitions = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
    const asked = definitions.map((definition) => /^label_values\((.+), (\w+)\)$/.exec(definition));
    for (const match of asked) {
      const [metric = ''] = namesIn(match?.[1] ?? '').metrics;
      expect(KNOWN.get(metric)?.concat(SCRAPE_LABELS)).toContain(match?.[2]);
    }
    const marks = dashboard.annotations.list.flatMap(({ expr }) => namesIn(expr).metrics);
    expect(marks.filter((metric) => !KNOWN.has(metric))).toEqual([]);
  });

  it('shows exemplars of histograms only, and leads from them to their trace', () => {
    for (const { title, targets = [], fieldConfig } of panels.filter(hasExemplars)) {
      expect(targets.filter(({ expr = '' }) => !expr.includes('_bucket'))).toEqual([]);
      const link = fieldConfig?.overrides.find(({ matcher }) => matcher.options === 'trace_id');
      expect({ title, link: JSON.stringify(link) }).toEqual({ title, link: expect.stringContaining('${__value.raw}') });
    }
  });

  it('is found by its tag and leads to the others', () => {
    expect(isOwn(dashboard.uid)).toBe(true);
    expect(dashboard.tags).toContain('roundhouse');
    expect(dashboard.links).toEqual([expect.objectContaining({ type: 'dashboards', tags: ['roundhouse'] })]);
  });
});

describe('all dashboards', () => {
  it('have these addresses, which others link to', () => {
    expect(DASHBOARDS.map(({ uid }) => uid).sort()).toEqual([
      'roundhouse-flows',
      'roundhouse-overview',
      'roundhouse-replay',
      'roundhouse-state-and-keys',
      'roundhouse-tools',
      'roundhouse-workers',
    ]);
  });

  it('draw every metric of ours', () => {
    const drawn = new Set(DASHBOARDS.flatMap(queriesOf).flatMap(({ expression }) => namesIn(expression).metrics));
    // Sums say nothing that the quantiles do not.
    const undrawn = [...KNOWN.keys()].filter((name) => isOwn(name) && !/_(sum|count|bucket)$/.test(name));
    expect(undrawn.filter((name) => !drawn.has(name))).toEqual([]);
  });

  it('lead from a round to the first round of its flow', () => {
    const links = JSON.stringify(
      DASHBOARDS.flatMap(panelsOf).flatMap(({ fieldConfig }) => fieldConfig?.overrides ?? []),
    );
    expect(decodeURIComponent(links)).toContain('span.roundhouse.mrtr.round = 1');
  });
});

describe('what dashboards ask', () => {
  let promtool: string;

  beforeAll(async () => {
    ({ promtool } = await prometheusPrograms());
  }, PROMETHEUS_START_TIMEOUT_MS);

  it('is PromQL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dashboards-'));
    try {
      const file = join(folder, 'queries.yaml');
      const rules = DASHBOARDS.flatMap(queriesOf).map(({ expression }, at) => ({
        record: `query_${at}`,
        expr: withChoices(expression),
      }));
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }));
      expect(execFileSync(promtool, ['check', 'rules', file], { encoding: 'utf8' })).toContain(
        `SUCCESS: ${rules.length} rules found`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function hasExemplars({ targets = [] }: Panel): boolean {
  return targets.some(({ exemplar }) => exemplar === true);
}

function overlap({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;
}
