/**
 * An upgrade as clients see it: every process is replaced under 200 requests a second, and nobody is cut off. Half
 * the clients come through a proxy, half hold connections to a router itself; both keep theirs.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Cluster } from '../harness/cluster.js';
import { KeptConnections } from '../harness/kept-connections.js';
import { Listeners } from '../harness/listeners.js';
import { MixedLoad, REQUESTS_PER_SECOND, type Offered } from '../harness/mixed-load.js';
import type { ProcessSeat } from '../harness/process-seat.js';
import { readRuns } from '../harness/reference-tools.js';
import { Rotation } from '../harness/rotation.js';
import { scenario, scenariosIn, type Turn } from '../harness/scenario.js';
import { OUT } from '../harness/workspace.js';

const NAME = 'e2e/drain';
/** Above the time in which the proxy notices. */
const LINGER_MS = 1_000;
const SPREAD_MS = 500;
const LISTENERS = 12;
/** Far fewer than are sent in the time that a restart takes: without a load nothing would be shown. */
const ANSWERED_MIN = 20;
/** The rest is what a busy machine may delay to after the last restart. */
const OFFERED_PER_SECOND_MIN = 0.95 * REQUESTS_PER_SECOND;
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

const start = () =>
  Cluster.start({
    name: NAME,
    routers: 3,
    front: { keepsConnections: true },
    router: { drain: { lingerMs: LINGER_MS, streamsSpreadMs: SPREAD_MS, timeoutMs: 10_000 } },
    // A machine under load must not decide a scenario.
    env: { ROUNDHOUSE_REDIS_COMMAND_TIMEOUT_MS: '5000' },
    workerEnv: { ROUNDHOUSE_DIAGNOSTICS_DIRECTORY: join(OUT, NAME, 'runs') },
  });

export const scenarios = scenariosIn('drain', start, [
  scenario(
    'routers are replaced one after another: no call is cut, no flow is lost, every stream ends in order',
    ['HLM-13', 'HLM-12', 'F-17'],
    async (turn) => {
      const listeners = new Listeners(turn.world.port);
      turn.defer(() => listeners.stop());
      await listeners.start(LISTENERS);
      const load = await underLoad('routers', turn, turn.world.routers);
      assert.deepEqual(load.putOff, [], 'nobody is told to come back later');
      assert.deepEqual(listeners.failures, []);
      assert.ok(listeners.ended.length >= LISTENERS, 'each router had its share of the streams');
      for (const { stream, messages, id } of listeners.ended) {
        assert.ok(stream.endedInOrder, 'the body ends, the connection is not cut');
        assert.deepEqual(messages.at(-1)?.result, { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: id } });
      }
    },
  ),

  scenario(
    'workers are replaced one after another: no call is cut or put off, and no flow is lost',
    ['HLM-13', 'HLM-12'],
    async (turn) => {
      const load = await underLoad('workers', turn, turn.world.workers);
      assert.deepEqual(load.putOff, [], 'nobody is told to come back later');
    },
  ),

  scenario(
    'the only replay service is replaced: calls go on, confirmations are put off, and each flow runs once',
    ['HLM-13', 'HLM-12'],
    async (turn) => {
      await underLoad('replay', turn, [turn.world.replay]);
    },
  ),
]);

/** Restarts the processes in turn while clients call, and holds that each got what it called for, once. */
async function underLoad(
  name: string,
  { world, defer }: Turn<Cluster>,
  seats: readonly ProcessSeat[],
): Promise<MixedLoad> {
  const rotation = new Rotation(world.routers, (ports) => world.front.route(ports));
  const ways = [
    { name: 'through the proxy', agent: new KeptConnections(() => world.port) },
    { name: 'to a router itself', agent: new KeptConnections(() => rotation.nextPort()) },
  ];
  const load = new MixedLoad(name, world.port, ways);
  defer(() => ways.forEach(({ agent }) => agent.destroy()));
  defer(() => rotation.stop());
  defer(() => load.stop());
  await load.start();
  const offered = load.measure();
  for (const seat of seats) {
    // As in a rollout: the next one goes when the one before serves.
    await world.awaitConnected();
    const before = load.answered;
    await seat.stop();
    assert.equal(seat.process.exitCode, 0, seat.name);
    await seat.start();
    assert.ok(load.answered - before > ANSWERED_MIN, `calls while ${seat.name} was replaced`);
  }
  const meanwhile = offered();
  await load.stop();
  tell(name, meanwhile, load);
  assert.deepEqual(load.failures, []);
  const labels = readRuns(join(world.folder, 'runs')).filter((label) => label.startsWith(`${name}-`));
  assert.deepEqual(labels.sort(), [...load.flows].sort(), 'each flow ran, and ran once');
  return load;
}

function tell(name: string, { seconds, perSecond, sent }: Offered, { failures, putOff }: MixedLoad): void {
  const kinds = `${sent.plain} plain, ${sent.streamed} streams, ${sent.flow} of flows`;
  const rate = `${perSecond.toFixed(1)} requests a second for ${seconds.toFixed(1)} s`;
  process.stdout.write(
    `${name} replaced under ${rate}: ${kinds}; ${failures.length} failed, ${putOff.length} put off\n`,
  );
  assert.ok(perSecond >= OFFERED_PER_SECOND_MIN, `only ${rate}`);
}
