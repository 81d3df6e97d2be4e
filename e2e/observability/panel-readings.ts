/** What every panel of every dashboard shows now, as a table that can be read and one that can be parsed. */
import type { Prometheus, Reading } from '../harness/prometheus.js';
import {
  queriesOf,
  readDashboards,
  withChoices,
  type Choices,
  type Dashboard,
  type PanelQuery,
} from './dashboard-files.js';

/** More series than these are counted, not shown. */
const SHOWN_MAX = 4;

export interface PanelReading extends PanelQuery {
  /** Numbers only: quantiles of nothing are left out. */
  readonly readings: readonly Reading[];
}

export async function readPanels(prometheus: Prometheus): Promise<readonly PanelReading[]> {
  const answers: PanelReading[] = [];
  for (const dashboard of readDashboards()) {
    const choices = await everythingOf(dashboard, prometheus);
    for (const query of queriesOf(dashboard)) {
      const readings = await prometheus.query(withChoices(query.expression, choices));
      answers.push({ ...query, readings: readings.filter(({ value }) => !Number.isNaN(value)) });
    }
  }
  return answers;
}

/** "All" of each variable, as Grafana finds it: by asking which values there are. */
async function everythingOf({ templating }: Dashboard, prometheus: Prometheus): Promise<Choices> {
  const choices: Record<string, string> = {};
  for (const { name, definition = '', allValue } of templating.list) {
    const [, series, label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
    if (series === undefined) continue;
    const found = await prometheus.query(`group by (${label}) (${withChoices(series, choices)})`);
    choices[name] = allValue ?? found.map(({ labels }) => labels[label]).join('|');
  }
  return choices;
}

export function toTable(panels: readonly PanelReading[]): string {
  const lines = panels.map(({ dashboard, panel, legend, unit, readings }) => {
    const shown = readings
      .slice(0, SHOWN_MAX)
      .map((reading) => `${nameOf(legend, reading)} ${inUnit(reading.value, unit)}`);
    const more = readings.length > SHOWN_MAX ? [`and ${readings.length - SHOWN_MAX} more`] : [];
    return [dashboard.replace('roundhouse-', ''), panel, [...shown, ...more].join(', ') || '(empty)'];
  });
  const widths = [0, 1].map((at) => Math.max(...lines.map((line) => (line[at] ?? '').length)));
  return lines
    .map(([dashboard = '', panel = '', values = '']) =>
      `${dashboard.padEnd(widths[0] ?? 0)}  ${panel.padEnd(widths[1] ?? 0)}  ${values}`.trimEnd(),
    )
    .join('\n');
}

/** Rows of a table have no legend of their own: their labels name them. */
function nameOf(legend: string, { labels }: Reading): string {
  const { __name__: _, ...rest } = labels;
  if (!legend.includes('{{')) return [...Object.values(rest), legend].join(' ');
  return legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '').trim();
}

const UNITS: Readonly<Record<string, (value: number) => string>> = {
  s: (value) => (Math.abs(value) < 1 ? `${toPrecision(value * 1_000)} ms` : `${toPrecision(value)} s`),
  bytes: (value) => (value < 1_024 ? `${toPrecision(value)} B` : `${toPrecision(value / 1_048_576)} MiB`),
  percentunit: (value) => `${toPrecision(value * 100)} %`,
  reqps: (value) => `${toPrecision(value)}/s`,
  ops: (value) => `${toPrecision(value)}/s`,
};

function inUnit(value: number, unit: string): string {
  return UNITS[unit]?.(value) ?? toPrecision(value);
}

function toPrecision(value: number): string {
  return String(Number(value.toPrecision(3)));
}
