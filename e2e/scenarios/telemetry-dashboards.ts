/** Dashboards and rules on a real Prometheus that reads a running system: what they ask is there, and tells what happened. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until } from '../harness/until.js';
import { MeasuredSystem } from '../observability/measured-system.js';
import { readPanels, toTable, type PanelReading } from '../observability/panel-readings.js';

/** Panels of what must not happen, or needs what this system does not have. They have to be empty or 0. */
const MAY_BE_EMPTY = new Set([
  // No authorization server.
  'Refused callers',
  'Age of the issuers’ keys',
  'Fetches of the issuers’ keys',
  // Nothing is too much for it, and everybody reads.
  'Sent away',
  'Refused for want of capacity',
  'Streams cut',
  // No replica and no limit of memory.
  'Claims that too few replicas confirmed',
  'Memory of Redis',
]);
const COUNTED_WITHIN_MS = 15_000;

export const scenarios = scenariosIn('telemetry dashboards', () => MeasuredSystem.start(), [
  scenario('every panel is answered, and those of what happened show it', ['HLM-10'], async ({ world }) => {
    const panels = await readPanels(world.prometheus);
    const table = toTable(panels);
    writeFileSync(join(world.cluster.folder, 'panels.txt'), `${table}\n`);
    writeFileSync(join(world.cluster.folder, 'panels.json'), `${JSON.stringify(panels, undefined, 2)}\n`);
    process.stdout.write(`${table}\n`);
    const empty = panels.filter((panel) => panel.readings.length === 0).map(nameOf);
    assert.deepEqual(
      empty.filter((name) => !MAY_BE_EMPTY.has(name)),
      [],
    );
  }),

  scenario('Prometheus evaluates every rule', ['SLO-2'], async ({ world }) => {
    const rules = await world.prometheus.rules();
    assert.ok(rules.length > 40, `${rules.length} rules`);
    assert.deepEqual(
      rules.filter(({ health, lastError }) => health !== 'ok' || lastError !== undefined),
      [],
    );
  }),

  scenario('one look tells what was healthy, slow, waiting, replayed and rotated', ['HLM-10'], async ({ world }) => {
    const refetched = 'sum(roundhouse_replay_claims_total{outcome="done"})';
    await until(async () => ((await world.prometheus.query(refetched))[0]?.value ?? 0) >= world.sent.refetched, {
      what: `${world.sent.refetched} results that were fetched again`,
      withinMs: COUNTED_WITHIN_MS,
    });
    const panels = await readPanels(world.prometheus);
    const value = (title: string): number => firstOf(panels, title);
    assert.equal(value('Primary keys'), 1);
    assert.ok(value('Age of the primary key') < 120, 'the key that took over meanwhile seals');
    assert.equal(seriesOf(panels, 'Sealing by key').length, 2, 'two keys sealed');
    assert.ok(value('Replayed') >= world.sent.refetched, 'results were fetched again');
    assert.ok(value('Outcome unknown') >= world.sent.unknown);
    assert.equal(value('Redis is set up safely'), 1);
    assert.equal(value('Endpoints ready'), 1, 'each router has one worker');
    const slowest = seriesOf(panels, 'Slowest tools').toSorted((a, b) => b.value - a.value)[0];
    assert.equal(slowest?.labels['gen_ai_tool_name'], 'confirm_wait');
    const claims = await world.prometheus.query('sum by (outcome) (roundhouse_replay_claims_total) > 0');
    const seen = claims.map(({ labels }) => labels['outcome']);
    for (const outcome of ['new', 'inflight', 'done', 'conflict', 'stale_epoch', 'store_error'])
      assert.ok(seen.includes(outcome), outcome);
  }),

  scenario('what went wrong meanwhile has its alert, and nothing else wakes anybody', ['SLO-2'], async ({ world }) => {
    const firing = async (): Promise<string[]> =>
      (await world.prometheus.query('ALERTS{alertstate="firing"}')).map(({ labels }) => labels['alertname'] ?? '');
    await until(async () => (await firing()).includes('RoundhouseOutcomeUnknown'), {
      what: 'the alert of an unknown outcome',
      withinMs: COUNTED_WITHIN_MS,
    });
    const seen = await firing();
    assert.ok(seen.includes('RoundhouseStaleEpoch'), seen.join(', '));
    const expected = [
      'RoundhouseOutcomeUnknown',
      'RoundhouseStaleEpoch',
      'RoundhouseErrorBudgetBurn',
      'RoundhouseLatencyBudgetBurn',
    ];
    assert.deepEqual(
      seen.filter((name) => !expected.includes(name)),
      [],
    );
  }),

  scenario('an exemplar names the trace of a request that was served', ['HLM-10'], async ({ world }) => {
    const exemplars = await world.prometheus.exemplars(
      'mcp_server_operation_duration_seconds_bucket{job="roundhouse-router"}',
    );
    const traces = new Set(world.cluster.spans().map(({ traceId }) => traceId));
    assert.ok(exemplars.length > 0, 'exemplars');
    const unknown = exemplars.filter(({ labels }) => !traces.has(labels['trace_id'] ?? ''));
    assert.deepEqual(unknown, []);
  }),
]);

function nameOf({ panel }: PanelReading): string {
  return panel;
}

function seriesOf(panels: readonly PanelReading[], title: string): PanelReading['readings'] {
  return panels.filter(({ panel }) => panel === title).flatMap(({ readings }) => readings);
}

function firstOf(panels: readonly PanelReading[], title: string): number {
  const [reading] = seriesOf(panels, title);
  assert.ok(reading !== undefined, `${title} shows something`);
  return reading.value;
}
