// A whole dashboard as Grafana's JSON: panels in rows on a grid of 24 columns, choices at the top, links to the others.
import { METRICS } from './panel.mjs';

const COLUMNS = 24;
const ROW_HEIGHT = 1;
/** Of Grafana 12; an older one reads it, a newer one migrates it. */
const SCHEMA_VERSION = 41;
const TAG = 'roundhouse';

const source = (name, label, plugin) => ({ name, label, type: 'datasource', query: plugin, refresh: 1, hide: 0 });

const values = (name, label, query) => ({
  name,
  label,
  type: 'query',
  datasource: METRICS,
  query: { query, refId: name },
  definition: query,
  includeAll: true,
  multi: true,
  current: { text: ['All'], value: ['$__all'] },
  refresh: 2,
  sort: 1,
  hide: 0,
});

/** All of them, and what has no such label as well. */
const orNone = (choice) => ({ ...choice, allValue: '.*' });

/** What a dashboard lets its reader choose; each metric below is exported by one kind of process only,
 * and "All" is all that export it. */
const CHOICES = {
  job: values('job', 'Routers', 'label_values(roundhouse_inflight_requests, job)'),
  instance: orNone(values('instance', 'Router', 'label_values(roundhouse_inflight_requests{job=~"$job"}, instance)')),
  worker_job: values('worker_job', 'Workers', 'label_values(roundhouse_worker_calls_inflight, job)'),
  replay_job: values('replay_job', 'Replay services', 'label_values(roundhouse_replay_config_ok, job)'),
  group: orNone(values('group', 'Worker group', 'label_values(roundhouse_worker_endpoints{job=~"$job"}, group)')),
  tool: orNone(
    values('tool', 'Tool', 'label_values(mcp_server_operation_duration_seconds_count{job=~"$job"}, gen_ai_tool_name)'),
  ),
  traces: source('traces', 'Traces', 'tempo'),
  flow: { name: 'flow', label: 'Flow id', type: 'textbox', query: '', current: { text: '', value: '' }, hide: 0 },
};

const ANNOTATIONS = [
  {
    name: 'Alerts',
    expr: 'max by (alertname, severity) (ALERTS{alertname=~"Roundhouse.*", alertstate="firing"})',
    titleFormat: '{{alertname}} ({{severity}})',
    iconColor: 'red',
  },
  {
    name: 'New primary key',
    expr: 'max by (kid) (roundhouse_keyset_key_info{role="primary"}) unless max by (kid) (roundhouse_keyset_key_info{role="primary"} offset 2m)',
    titleFormat: 'Key {{kid}} seals now',
    iconColor: 'blue',
  },
];

/** @param {{ uid: string, title: string, about: string, choices: string[], rows: [string, object[]][] }} dashboard */
export function toGrafana({ uid, title, about, choices, rows }) {
  return {
    uid,
    title: `Roundhouse / ${title}`,
    description: about,
    tags: [TAG],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    links: [
      {
        title: 'Roundhouse',
        type: 'dashboards',
        tags: [TAG],
        asDropdown: false,
        includeVars: true,
        keepTime: true,
        targetBlank: false,
      },
    ],
    templating: { list: [source('datasource', 'Metrics', 'prometheus'), ...choices.map((name) => CHOICES[name])] },
    annotations: { list: ANNOTATIONS.map(toAnnotation) },
    panels: place(rows),
  };
}

function toAnnotation(annotation) {
  return { ...annotation, datasource: METRICS, enable: true, hide: false, useValueForTime: false };
}

/** Left to right, and on to the next line where a panel no longer fits. */
function place(rows) {
  const placed = [];
  let y = 0;
  const add = (panel, gridPos) => placed.push({ id: placed.length + 1, ...panel, gridPos });
  for (const [title, panels] of rows) {
    add({ type: 'row', title, collapsed: false, panels: [] }, { x: 0, y, w: COLUMNS, h: ROW_HEIGHT });
    y += ROW_HEIGHT;
    let x = 0;
    let lineHeight = 0;
    for (const { width, height, ...panel } of panels) {
      if (x + width > COLUMNS) {
        x = 0;
        y += lineHeight;
        lineHeight = 0;
      }
      add(panel, { x, y, w: width, h: height });
      x += width;
      lineHeight = Math.max(lineHeight, height);
    }
    y += lineHeight;
  }
  return placed;
}
