import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { PROMETHEUS_START_TIMEOUT_MS, prometheusPrograms } from '@roundhouse/testing';
import { ROOT } from '../harness/workspace.js';
import { panelsOf, readDashboards } from './dashboard-files.js';
import { SCRAPE_LABELS, knownSeries } from './known-series.js';
import { namesIn } from './promql.js';
import { readRules, readRunbooks, ruleFiles, ruleTestFiles, runbookOf, type Rule } from './rule-files.js';

const RULES = readRules();
const ALERTS = RULES.filter(({ alert }) => alert !== undefined);
const KNOWN = knownSeries();
const RUNBOOKS = readRunbooks();
/** Days of samples, some thousand evaluations: several seconds on a busy machine. */
const TEST_WITHIN_MS = 120_000;

describe('rules', () => {
  it('read only metrics that are exported, by labels that they have', () => {
    const wrong = RULES.flatMap(({ expr, record, alert }) => {
      const { metrics, selected, grouped } = namesIn(expr);
      const labels = [...SCRAPE_LABELS, ...metrics.flatMap((metric) => KNOWN.get(metric) ?? [])];
      return [
        ...metrics.filter((metric) => !KNOWN.has(metric)),
        ...selected.filter(([metric, label]) => ![...SCRAPE_LABELS, ...(KNOWN.get(metric) ?? [])].includes(label)),
        ...grouped.filter((label) => !labels.includes(label)),
      ].map((name) => `${record ?? alert}: ${String(name)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('keep namespace and job, so that two deployments do not hide each other', () => {
    const sums = RULES.filter(({ expr }) =>
      /\b(sum|min|max|count|avg)\b(?! by \(namespace, job\b)\s*(by)?\s*\(/.test(expr),
    );
    expect(sums.map(({ record, alert }) => record ?? alert)).toEqual([]);
  });
});

describe('alerts', () => {
  it('say how urgent they are, what happened in words, and where to read on', () => {
    const mute = ALERTS.filter(({ labels, annotations }) => {
      const isUrgency = /^(page|ticket)$/.test(labels?.['severity'] ?? '');
      return !isUrgency || !annotations?.['summary'] || !annotations['description'] || !annotations['runbook_url'];
    });
    expect(mute).toEqual([]);
  });

  it('show only labels that their expression leaves', () => {
    const wrong = ALERTS.flatMap(({ alert, expr, annotations = {} }) => {
      const shown = Object.values(annotations).flatMap((text) => [...text.matchAll(/\$labels\.(\w+)/g)]);
      const recorded = namesIn(expr).metrics.some((metric) => metric.startsWith('job:'));
      const left = recorded ? SCRAPE_LABELS : namesIn(expr).grouped;
      return shown.filter(([, label = '']) => !left.includes(label)).map(([text]) => `${alert}: ${text}`);
    });
    expect(wrong).toEqual([]);
  });

  it('each have a page that says what to do, under their own name', () => {
    const urls = ALERTS.map(({ alert, annotations }) => [alert, annotations?.['runbook_url']]);
    const wrong = urls.filter(([alert = '', url]) => !url?.endsWith(`/docs/runbooks/${runbookOf(alert)}.md`));
    expect(wrong).toEqual([]);
    expect(namesOf(ALERTS).filter((name) => !RUNBOOKS.has(runbookOf(name)))).toEqual([]);
  });

  it('each are told apart by a test that fires them and one that does not', () => {
    const tests = ruleTestFiles().map((file) => readFileSync(file, 'utf8'));
    const ofAlert = (name: string) =>
      tests.flatMap((text) => text.split('\n  - name: ').filter((one) => one.includes(`"${name}"`)));
    const untested = namesOf(ALERTS).filter((name) => !ofAlert(name).some((one) => /value: 1\b/.test(one)));
    expect(untested).toEqual([]);
    // Series that must stay silent are of another job than those that fire, or of an earlier time.
    const onlyFire = namesOf(ALERTS).filter((name) => !ofAlert(name).some(hasSilent));
    expect(onlyFire).toEqual([]);
  });
});

describe('runbooks', () => {
  const pages = [...RUNBOOKS].filter(([name]) => name !== 'README');

  it('belong to an alert each', () => {
    const expected = new Set(namesOf(ALERTS).map(runbookOf));
    expect(pages.map(([name]) => name).filter((name) => !expected.has(name))).toEqual([]);
  });

  it('are all listed on their first page', () => {
    expect(pages.filter(([name]) => !RUNBOOKS.get('README')?.includes(`](${name}.md)`))).toEqual([]);
  });

  it.each(['What it means', 'What users notice', 'What to look at', 'What to do', 'When it is over'])(
    'say under its own heading: %s',
    (heading) => {
      expect(pages.filter(([, text]) => !text.includes(`\n## ${heading}\n`)).map(([name]) => name)).toEqual([]);
    },
  );

  it('name only panels that there are', () => {
    const there = readDashboards().flatMap((dashboard) =>
      panelsOf(dashboard).map(({ title }) => `${dashboard.title.replace('Roundhouse / ', '')} / ${title}`),
    );
    const guide = readFileSync(join(ROOT, 'docs', 'observability.md'), 'utf8');
    const named = [...pages, ['observability', guide] as const].flatMap(([page, text]) =>
      [...text.matchAll(/\*\*([^*\n]+ \/ [^*\n]+)\*\*/g)].map(([, name = '']) => ({ page, name })),
    );
    expect(named.length).toBeGreaterThan(pages.length);
    expect(named.filter(({ name }) => !there.includes(name))).toEqual([]);
  });

  it('name only metrics that are exported', () => {
    const named = pages.flatMap(([, text]) => [...text.matchAll(/\b(?:roundhouse|mcp)_[a-z0-9_]+/g)]);
    const known = [...KNOWN.keys()];
    const unknown = named.filter(([name]) => !known.some((one) => one === name || one === `${name}_bucket`));
    expect([...new Set(unknown.map(([name]) => name))]).toEqual([]);
  });
});

describe('promtool', () => {
  let promtool: string;
  const run = (...args: readonly string[]): string => execFileSync(promtool, args, { encoding: 'utf8', stdio: 'pipe' });

  beforeAll(async () => {
    ({ promtool } = await prometheusPrograms());
  }, PROMETHEUS_START_TIMEOUT_MS);

  it('takes the example of a configuration, with the rules it names', () => {
    const said = run('check', 'config', join(ROOT, 'deploy', 'observability', 'prometheus.yaml'));
    for (const file of ruleFiles()) expect(said).toContain(file.slice(file.lastIndexOf('/')));
    expect(said).not.toContain('FAILED');
  });

  it('takes the rules', () => {
    expect(run('check', 'rules', ...ruleFiles())).not.toContain('FAILED');
  });

  it.each(ruleTestFiles().map((file) => [file.slice(file.lastIndexOf('/') + 1), file]))(
    'finds that alerts fire when they should and only then: %s',
    (_name, file) => {
      expect(run('test', 'rules', file)).toContain('SUCCESS');
    },
    TEST_WITHIN_MS,
  );
});

function namesOf(alerts: readonly Rule[]): string[] {
  return [...new Set(alerts.map(({ alert }) => alert ?? ''))];
}

function hasSilent(test: string): boolean {
  const jobs = new Set([...test.matchAll(/series: '[^']*job="([^"]+)"/g)].map(([, job]) => job));
  const fired = new Set([...test.matchAll(/labels: '\{job="([^"]+)"/g)].map(([, job]) => job));
  return test.includes('exp_samples: []') || [...jobs].some((job) => !fired.has(job));
}
