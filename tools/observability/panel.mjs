// One panel of a dashboard as Grafana has it, from a few words: what is drawn, in which unit, and what to do with it.

export const METRICS = { type: 'prometheus', uid: '${datasource}' };
export const TRACES = { type: 'tempo', uid: '${traces}' };

/** Grafana's own colours, by what they say. */
export const CALM = 'text';
export const GOOD = 'green';
export const LOOK = 'orange';
export const BAD = 'red';

/** The label by which an exemplar names its trace. */
const EXEMPLAR_TRACE = 'trace_id';

/**
 * @typedef {object} Drawing
 * @property {string} help what the reader does with it, in one or two sentences
 * @property {string} unit Grafana's id of the unit
 * @property {[legend: string, expression: string][]} series
 * @property {number} [width] of 24 columns
 * @property {[colour: string, from: number | null][]} [steps] colours from a value on; the first from null
 * @property {Record<string, { text: string, color: string }>} [words] what to write for a value
 * @property {boolean} [exemplars] dots that lead to a trace; only where a histogram is drawn
 * @property {number} [max] of the axis
 * @property {number} [decimals]
 */

/** One number, now. @param {string} title @param {Drawing} drawing */
export function stat(title, drawing) {
  const { words } = drawing;
  return panel({
    type: 'stat',
    title,
    drawing: { width: 4, ...drawing },
    height: 4,
    instant: true,
    defaults: words === undefined ? {} : { mappings: [{ type: 'value', options: words }] },
    options: {
      colorMode: drawing.steps === undefined ? 'none' : 'background',
      graphMode: 'none',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      textMode: 'auto',
    },
  });
}

/** How something went over time. @param {string} title @param {Drawing & { stacked?: boolean }} drawing */
export function lines(title, drawing) {
  const { stacked = false, steps } = drawing;
  const custom = {
    drawStyle: 'line',
    fillOpacity: stacked ? 40 : 8,
    lineWidth: 1,
    showPoints: 'never',
    spanNulls: false,
    stacking: { group: 'A', mode: stacked ? 'normal' : 'none' },
    // A line of the chart's own colour would not say which value is too much.
    ...(steps === undefined ? {} : { thresholdsStyle: { mode: 'dashed' } }),
  };
  return panel({
    type: 'timeseries',
    title,
    drawing: { width: 8, ...drawing },
    height: 8,
    instant: false,
    defaults: { custom, min: 0 },
    options: {
      legend: { calcs: ['lastNotNull', 'max'], displayMode: 'table', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  });
}

/** What is largest now, as bars. @param {string} title @param {Drawing} drawing */
export function bars(title, drawing) {
  return panel({
    type: 'bargauge',
    title,
    drawing: { width: 8, ...drawing },
    height: 8,
    instant: true,
    defaults: { min: 0 },
    options: {
      displayMode: 'basic',
      orientation: 'horizontal',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      showUnfilled: true,
      valueMode: 'color',
    },
  });
}

/**
 * One row for each set of labels, one column for each series.
 * @param {string} title @param {Drawing & { units?: Record<string, string> }} drawing units by column
 */
export function table(title, drawing) {
  const { units = {}, series } = drawing;
  const columns = Object.fromEntries(series.map(([legend], at) => [`Value #${refId(at)}`, legend]));
  const made = panel({
    type: 'table',
    title,
    drawing: { width: 24, ...drawing },
    height: 8,
    instant: true,
    defaults: {},
    options: { cellHeight: 'sm', showHeader: true },
  });
  return {
    ...made,
    targets: made.targets.map((target) => ({ ...target, format: 'table' })),
    transformations: [
      { id: 'merge', options: {} },
      {
        id: 'organize',
        options: {
          excludeByName: { Time: true },
          // A single column has no letter in its name.
          renameByName: series.length === 1 ? { Value: series[0][0] } : columns,
        },
      },
    ],
    fieldConfig: {
      ...made.fieldConfig,
      overrides: Object.entries(units).map(([name, unit]) => override(name, [{ id: 'unit', value: unit }])),
    },
  };
}

/** Spans that a TraceQL query finds. `links` by field. @param {string} title */
export function spans(title, { help, query, links = {}, width = 24 }) {
  return {
    type: 'table',
    title,
    description: help,
    datasource: TRACES,
    width,
    height: 8,
    fieldConfig: {
      defaults: { unit: 'none' },
      overrides: Object.entries(links).map(([name, link]) => override(name, [{ id: 'links', value: [link] }])),
    },
    options: { cellHeight: 'sm', showHeader: true },
    targets: [{ refId: 'A', datasource: TRACES, queryType: 'traceql', query, limit: 50, spss: 10, tableType: 'spans' }],
  };
}

/** Opens a TraceQL query, or a trace by its id, in Explore. Variables and the clicked value are filled in by Grafana. */
export function exploreLink(title, query) {
  const pane = {
    datasource: TRACES.uid,
    queries: [{ refId: 'A', datasource: TRACES, queryType: 'traceql', query }],
    range: { from: 'now-24h', to: 'now' },
  };
  const encoded = encodeURIComponent(JSON.stringify({ trace: pane }));
  // Grafana looks for ${…} before the browser decodes anything.
  const url = `/explore?schemaVersion=1&panes=${encoded.replaceAll('%24%7B', '${').replaceAll(/(\$\{[\w.]+)%7D/g, '$1}')}`;
  return { title, url, targetBlank: true };
}

function panel({ type, title, drawing, height, instant, defaults, options }) {
  const { help, unit, series, width, steps = [[CALM, null]], exemplars = false, max, decimals } = drawing;
  return {
    type,
    title,
    description: help,
    datasource: METRICS,
    width,
    height,
    fieldConfig: {
      defaults: {
        unit,
        color: { mode: type === 'timeseries' ? 'palette-classic' : 'thresholds' },
        thresholds: { mode: 'absolute', steps: steps.map(([color, value]) => ({ color, value })) },
        ...(max === undefined ? {} : { max }),
        ...(decimals === undefined ? {} : { decimals }),
        ...defaults,
      },
      overrides: exemplars ? [override(EXEMPLAR_TRACE, [{ id: 'links', value: [TRACE_OF_EXEMPLAR] }])] : [],
    },
    options,
    targets: series.map(([legendFormat, expr], at) => ({
      refId: refId(at),
      datasource: METRICS,
      editorMode: 'code',
      expr,
      legendFormat,
      instant,
      range: !instant,
      ...(exemplars ? { exemplar: true } : {}),
    })),
  };
}

const TRACE_OF_EXEMPLAR = exploreLink('Open the trace', '${__value.raw}');

function override(name, properties) {
  return { matcher: { id: 'byName', options: name }, properties };
}

function refId(at) {
  return String.fromCharCode('A'.charCodeAt(0) + at);
}
