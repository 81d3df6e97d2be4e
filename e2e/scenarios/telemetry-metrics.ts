/** What Prometheus reads of a router that is called by whoever likes to: as much as before. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from '../harness/cluster.js';
import { ask, retry } from '../harness/flow.js';
import { nextId, sendMcp, toHttp, type McpCall } from '../harness/mcp-request.js';
import { sendRaw, type HeaderList } from '../harness/raw-client.js';
import { Note } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

const HOSTILE_REQUESTS = 10_000;
/** Sent at once: enough to be quick, few enough to be served. */
const AT_ONCE = 50;
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0';

export const scenarios = scenariosIn(
  'telemetry metrics',
  () => Cluster.start({ name: 'e2e/telemetry-metrics', routers: 1 }),
  [
    scenario(
      '10,000 requests with names nobody knows add at most one series to each metric',
      ['OBS-10'],
      async ({ world }) => {
        const [router] = world.routers;
        assert.ok(router !== undefined);
        // Whatever a request can leave behind, it left once.
        for (const request of oneOfEach()) await sendRaw({ port: router.port, ...request });
        const before = await countSeries(world);
        for (let sent = 0; sent < HOSTILE_REQUESTS; sent += AT_ONCE) {
          await Promise.all(
            Array.from({ length: AT_ONCE }, (_, at) => sendRaw({ port: router.port, ...hostile(sent + at) })),
          );
        }
        const after = await countSeries(world);
        // What prom-client tells of the process depends on the process: there are as many kinds of garbage collection as it had.
        const ours = [...after].filter(([name]) => !/^(nodejs|process)_/.test(name));
        assert.ok(ours.length > 20, 'metrics of ours');
        for (const [name, count] of ours) {
          const grown = count - (before.get(name) ?? 0);
          assert.ok(grown <= 1, `${name} has ${grown} more series`);
        }
        const page = await readPage(world);
        assert.ok(!page.includes(MARK), 'no name that a client made up');
        assert.match(page, /^roundhouse_refusals_total\{code="unknown_tool",reason="as_coded"\} [1-9]\d{2,}$/m);
      },
    ),

    scenario('an operation never holds the time in which somebody thought', ['OBS-9'], async ({ world }) => {
      const note = new Note(world, 'Thought over');
      const { state } = await ask(world.port, note.call);
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      const before = await readPage(world);
      await sendMcp(world.port, retry(note.call, state, note.confirmation));
      const after = await readPage(world);
      const added = (name: string): number => sumOf(after, name) - sumOf(before, name);
      assert.ok(added('roundhouse_mrtr_think_time_seconds_sum') >= 1.2, 'the thinking is measured');
      const operation = added('mcp_server_operation_duration_seconds_sum');
      assert.ok(operation > 0 && operation < 1.2, `the round itself took ${operation} s`);
      assert.equal(added('roundhouse_flows_total{outcome="finished"}'), 1);
    }),

    scenario('an exemplar leads from a duration to the trace of one call', ['OBS-9'], async ({ world }) => {
      const id = nextId();
      await sendMcp(world.port, { method: 'tools/call', params: { name: 'echo', arguments: { message: 'x' } }, id });
      const page = await readPage(world, OPEN_METRICS);
      assert.ok(page.endsWith('# EOF\n'));
      const traces = [
        ...page.matchAll(/^mcp_server_operation_duration_seconds_bucket\{.*# \{trace_id="([0-9a-f]{32})"\}/gm),
      ];
      assert.ok(traces.length > 0, 'there are exemplars');
      const known = new Set(world.spans().map(({ traceId }) => traceId));
      assert.deepEqual(
        traces.map(([, traceId = '']) => traceId).filter((traceId) => !known.has(traceId)),
        [],
      );
      assert.ok(!(await readPage(world)).includes('trace_id'), 'the older format has none');
    }),
  ],
);

const MARK = 'made-up';

type HttpRequest = ReturnType<typeof toHttp>;

/** As different as the requests that follow can be. */
function oneOfEach(): HttpRequest[] {
  return Array.from({ length: 4 * KINDS.length }, (_, n) => hostile(n));
}

const KINDS: readonly ((name: string) => McpCall)[] = [
  (name) => ({ method: 'tools/call', params: { name } }),
  (name) => ({ method: name }),
  (name) => ({ method: 'prompts/get', params: { name } }),
  (name) => ({ method: 'resources/read', params: { uri: `test://${name}` } }),
  (name) => ({ method: 'tools/list', meta: { 'io.modelcontextprotocol/clientInfo': { name, version: name } } }),
  (name) => ({ method: 'tools/call', params: { name: 'echo', requestState: `v1.${name}` } }),
];
const HEADERS: readonly ((name: string) => HeaderList)[] = [
  () => [],
  (name) => [['User-Agent', name]],
  (name) => [['Mcp-Session-Id', name]],
  (name) => [['Mcp-Param-Region', name]],
];

function hostile(n: number): HttpRequest {
  const name = `${MARK}-${randomBytes(6).toString('hex')}`;
  const kind = KINDS[n % KINDS.length] as (typeof KINDS)[number];
  const headers = HEADERS[Math.floor(n / KINDS.length) % HEADERS.length] as (typeof HEADERS)[number];
  return toHttp({ ...kind(name), headers: headers(name) });
}

/** Series by metric; a histogram has as many as it has counts. */
async function countSeries(world: Cluster): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const line of (await readPage(world)).split('\n')) {
    const name = /^[a-z_]+/.exec(line)?.[0];
    if (name === undefined || /_(bucket|sum)$/.test(name)) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function sumOf(page: string, name: string): number {
  return page
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function readPage(world: Cluster, accept = 'text/plain'): Promise<string> {
  const port = adminPortOf(world);
  const reply = await sendRaw({ port, method: 'GET', path: '/metrics', headers: [['Accept', accept]] });
  assert.equal(reply.status, 200);
  return reply.text;
}

/** As the router was told: its configuration is JSON, which YAML allows. */
function adminPortOf({ folder, routers: [router] }: Cluster): number {
  const text = readFileSync(join(folder, `${router?.name}.yaml`), 'utf8');
  return (JSON.parse(text) as { router: { admin: { port: number } } }).router.admin.port;
}
