// Metrics, alerts and dashboards, where the cluster has what they are for.
import { describe, expect, it } from '@jest/globals';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHART, OPERATORS, render, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { problemsOfObject } from '../../../tools/chart/kubernetes-schemas.mjs';
import { find, has, podsOf, selects } from '../../../tools/chart/rendered.mjs';

const KINDS = ['PodMonitor', 'ServiceMonitor'];
const values = (kind, rest = {}) => ({ monitoring: { kind, ...rest } });

describe.each(KINDS)('a %s', (kind) => {
  it('is not there unless it is chosen', () => {
    expect(has(render({ apis: OPERATORS }), kind)).toBe(false);
  });

  it('is left out where nobody reads it', () => {
    expect(has(render({ values: values(kind) }), kind)).toBe(false);
    expect(has(render({ values: values(kind, { renderMode: 'alwaysRender' }) }), kind)).toBe(true);
    expect(has(render({ values: values(kind, { renderMode: 'failIfMissing' }), apis: OPERATORS }), kind)).toBe(true);
  });

  it('is the only one of the two', () => {
    const objects = render({ values: values(kind), apis: OPERATORS });
    expect(KINDS.filter((each) => has(objects, each))).toEqual([kind]);
  });

  it('reads the metrics of routers, replay pods and workers, and of nothing else', () => {
    const objects = render({ values: values(kind), apis: OPERATORS });
    const { spec } = find(objects, kind, '-monitor');
    const targets = kind === 'PodMonitor' ? podsOf(objects) : objects.filter((object) => object.kind === 'Service');
    const chosen = targets.filter(({ metadata: { labels } }) => {
      const [{ key, values: components }] = spec.selector.matchExpressions;
      return selects(spec.selector.matchLabels, labels) && components.includes(labels[key]);
    });
    const components = chosen.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']);
    expect(new Set(components)).toEqual(new Set(['router', 'replay', 'mcp-worker']));
    const [endpoint] = spec.podMetricsEndpoints ?? spec.endpoints;
    expect(endpoint).toMatchObject({ port: 'admin', path: '/metrics', interval: '30s' });
  });

  it('carries the labels by which a Prometheus finds it', () => {
    const objects = render({ values: values(kind, { labels: { release: 'prom' } }), apis: OPERATORS });
    expect(find(objects, kind, '-monitor').metadata.labels).toMatchObject({ release: 'prom' });
  });

  it('is one that the operator takes', async () => {
    const objects = render({ values: values(kind), apis: OPERATORS });
    expect(await problemsOfObject(find(objects, kind, '-monitor'), '1.37.0')).toEqual([]);
  });
});

describe('alerts and dashboards', () => {
  const TEXT = 'value is {{ $value }} for {{ $labels.pod }}';

  /** A chart with files of the test's own beside those it has. */
  function renderWith(monitoring) {
    const folder = mkdtempSync(join(tmpdir(), 'chart-'));
    try {
      const chart = join(folder, 'roundhouse');
      cpSync(CHART, chart, { recursive: true });
      for (const name of ['rules', 'dashboards']) {
        rmSync(join(chart, 'files', name), { recursive: true, force: true });
        mkdirSync(join(chart, 'files', name), { recursive: true });
      }
      const groups = [{ name: 'test', rules: [{ alert: 'Test', expr: 'up == 0', annotations: { summary: TEXT } }] }];
      writeFileSync(join(chart, 'files/rules/test.yaml'), JSON.stringify({ groups }));
      writeFileSync(join(chart, 'files/dashboards/overview.json'), JSON.stringify({ title: '{{ pod }}' }));
      return render({ chart, values: { monitoring }, apis: OPERATORS, args: ['--description', folder] });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('become a PrometheusRule whose own templates stay as they are', async () => {
    const rule = find(renderWith({ rules: { enabled: true } }), 'PrometheusRule', '-alerts');
    expect(rule.spec.groups[0].rules[0].annotations.summary).toBe(TEXT);
    expect(await problemsOfObject(rule, '1.37.0')).toEqual([]);
  });

  it('become ConfigMaps that the sidecar of Grafana finds, in a folder', () => {
    const dashboards = { enabled: true, label: 'dash', labelValue: 'yes', folder: 'MCP' };
    const { metadata, data } = find(renderWith({ dashboards }), 'ConfigMap', '-dashboard-overview');
    expect(metadata.labels).toMatchObject({ dash: 'yes' });
    expect(metadata.annotations).toEqual({ grafana_folder: 'MCP' });
    expect(JSON.parse(data['overview.json'])).toEqual({ title: '{{ pod }}' });
  });

  it('are not there unless they are switched on', () => {
    const objects = renderWith({});
    expect(has(objects, 'PrometheusRule') || has(objects, 'ConfigMap', '-dashboard-overview')).toBe(false);
  });

  it('are left out where no operator reads rules', () => {
    expect(has(render({ values: { monitoring: { rules: { enabled: true } } } }), 'PrometheusRule')).toBe(false);
  });
});

it('every example renders where the operators are installed, too', () => {
  for (const files of Object.values(VALUES_FILES))
    expect(render({ files, apis: OPERATORS }).length).toBeGreaterThan(20);
});
