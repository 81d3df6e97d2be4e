// The router's EndpointSlice driver against the API server, with the settings, the account and the rights that the chart
// gives it. What it tells the router is what is picked from. The addresses lead nowhere: nothing is connected to.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import '../ts-hook.mjs';
import { find } from '../chart/rendered.mjs';
import { namespaceOf, RELEASE } from './admission.mjs';
import { tokenOf } from './rights.mjs';
import { until } from './until.mjs';

const { EndpointSliceDiscovery } = await import('../../apps/router/src/discovery/endpoint-slice-discovery.ts');
const { KubernetesApi } = await import('../../apps/router/src/discovery/kubernetes-api.ts');

const ROUTABLE_WITHIN_MS = 2_000;
const UNPICKED_WITHIN_MS = 1_000;
const CHANGES = 20;
/** The server sends one about every minute. */
const BOOKMARK_WITHIN_MS = 150_000;
/** Pauses between attempts grow to ten seconds. */
const BACK_WITHIN_MS = 30_000;
const AWAY_MS = 5_000;
/** Changes of something else, so that the version of the last slice is an old one. */
const OTHER_CHANGES = 20;
const GONE = 410;

/** The driver as the router runs it, and what it said and heard. */
class Follower {
  told = [];
  failures = [];
  events = [];

  constructor({ url, caFile, folder }, { token, namespace, settings }) {
    const file = (name, text) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const files = {
      tokenFile: file('router-token', token),
      namespaceFile: file('router-namespace', namespace),
      caFile,
    };
    const api = new HeardApi({ url, ...files }, this.events);
    const onFailure = (error) => this.failures.push(String(error));
    this.discovery = new EndpointSliceDiscovery({ portName: 'rpc', ...settings, api, onFailure, random: Math.random });
    this.discovery.start((addresses) => this.told.push(addresses.map(({ host }) => host)));
  }

  get set() {
    return this.told.at(-1) ?? [];
  }

  hears(type) {
    return this.events.filter((event) => event.type === type).length;
  }

  stop() {
    this.discovery.stop();
  }
}

/** Keeps every event that passes. */
class HeardApi extends KubernetesApi {
  constructor(options, events) {
    super(options);
    this.heard = events;
  }

  async document(...args) {
    const document = await super.document(...args);
    this.heard.push({ type: 'LIST' });
    return document;
  }

  async *events(...args) {
    try {
      for await (const event of super.events(...args)) {
        this.heard.push({ type: event.type, code: event.object?.code });
        yield event;
      }
    } catch (error) {
      this.heard.push({ type: 'REFUSED', code: error.status });
      throw error;
    }
  }
}

/**
 * @param {object} plane the control plane
 * @param {{ name: string, objects: object[], other: string, tell: (what: string, held: boolean) => void }} options the
 *   values file that was installed, what it made, and another one for its namespace
 */
export async function checkSlices(plane, { name, objects, other, tell }) {
  const namespace = namespaceOf(name);
  const slices = new Slices(plane, namespace, serviceOf(objects));
  const token = await tokenOf(plane.client, namespace, `${RELEASE}-roundhouse-router`);
  const follow = (settings) =>
    new Follower(plane, { token, namespace, settings: { service: slices.service, ...settings } });
  await slices.put('first', ['10.244.0.1']);
  const follower = follow({});
  const stranger = follow({ namespace: namespaceOf(other) });
  try {
    await until(() => follower.set.join() === '10.244.0.1', { what: 'the list', withinMs: ROUTABLE_WITHIN_MS });
    await checkChanges(follower, slices, tell);
    tell(
      `another namespace: ${stranger.failures.join() || 'no refusal'}`,
      stranger.told.length === 0 && stranger.failures.join().includes('answered 403'),
    );
    await checkBookmark(follower, tell);
    await checkCompaction(plane, { follower, slices, tell });
    await checkOutage(plane, { follower, slices, tell });
    tell(
      'the set was never empty',
      follower.told.every((set) => set.length > 0),
    );
  } finally {
    follower.stop();
    stranger.stop();
  }
}

async function checkChanges(follower, slices, tell) {
  const [added, removed] = [[], []];
  for (let at = 0; at < CHANGES; at += 1) {
    const [slice, address] = [`more-${at}`, `10.244.1.${at + 1}`];
    const isThere = () => follower.set.includes(address);
    added.push(
      await timed(slices.put(slice, [address]), { what: 'added', holds: isThere, withinMs: ROUTABLE_WITHIN_MS }),
    );
    // In turn the two ways in which a pod goes: it is not ready any more, or its slice is no longer there.
    const change = at % 2 === 0 ? slices.put(slice, [address], false) : slices.remove(slice);
    removed.push(await timed(change, { what: 'removed', holds: () => !isThere(), withinMs: UNPICKED_WITHIN_MS }));
  }
  tell(`${CHANGES} added: in the set after ${spread(added)}`, true);
  tell(`${CHANGES} removed: out of the set after ${spread(removed)}`, true);
}

/** From the moment at which the change is sent. */
async function timed(change, { what, holds, withinMs }) {
  const startMs = performance.now();
  await change;
  await until(holds, { what, withinMs });
  const tookMs = performance.now() - startMs;
  if (tookMs > withinMs) throw new Error(`${what}: after ${Math.round(tookMs)} ms`);
  return tookMs;
}

async function checkBookmark(follower, tell) {
  const waitedMs = await until(() => follower.hears('BOOKMARK') > 0, {
    what: 'a bookmark',
    withinMs: BOOKMARK_WITHIN_MS,
  });
  tell(`a bookmark came after ${Math.round(waitedMs / 1_000)} s`, follower.failures.length === 0);
}

/** The version that the watch would go on from is gone when the server is back. */
async function checkCompaction(plane, { follower, slices, tell }) {
  await slices.put('before', ['10.244.2.1']);
  await until(() => follower.set.includes('10.244.2.1'), { what: 'added', withinMs: ROUTABLE_WITHIN_MS });
  await slices.changeOthers(OTHER_CHANGES);
  const before = follower.set.join();
  const lists = follower.hears('LIST');
  await plane.stopServer();
  const revision = await plane.compact();
  await plane.startServer();
  const tookMs = await until(() => follower.hears('LIST') > lists, { what: 'a list', withinMs: BACK_WITHIN_MS });
  const gone = follower.events.filter(({ code }) => code === GONE).length;
  const kept = follower.set.join() === before;
  tell(
    `etcd compacted at ${revision}: ${gone} × 410, listed anew ${(tookMs / 1_000).toFixed(1)} s after the start`,
    gone > 0 && kept,
  );
}

async function checkOutage(plane, { follower, slices, tell }) {
  const before = follower.set.join();
  await plane.stopServer();
  await pause(AWAY_MS);
  const kept = follower.set.join() === before;
  await plane.startServer();
  await slices.put('after', ['10.244.3.1']);
  const what = 'the news after an outage';
  const tookMs = await until(() => follower.set.includes('10.244.3.1'), { what, withinMs: BACK_WITHIN_MS });
  tell(
    `the API server was away: the last set was kept, and its news were there after ${(tookMs / 1_000).toFixed(1)} s`,
    kept,
  );
}

class Slices {
  constructor({ client }, namespace, service) {
    Object.assign(this, { client, namespace, service });
  }

  async put(name, addresses, ready = true) {
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, labels: { 'kubernetes.io/service-name': this.service } },
      addressType: 'IPv4',
      endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready } })),
      ports: [{ name: 'rpc', port: 4100, protocol: 'TCP' }],
    };
    await this.#done(this.client.apply(slice, this.namespace));
  }

  async remove(name) {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${this.namespace}/endpointslices/${name}`;
    await this.#done(this.client.send('DELETE', path));
  }

  async changeOthers(count) {
    for (let at = 0; at < count; at += 1) {
      const data = { at: String(at) };
      const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'something-else' }, data };
      await this.#done(this.client.apply(other, this.namespace));
    }
  }

  async #done(answer) {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`the API server answered ${status}: ${body?.message}`);
  }
}

/** Where the router's settings say that its first worker is. */
function serviceOf(objects) {
  const settings = parse(find(objects, 'ConfigMap', '-router').data['roundhouse.yaml']);
  return settings.router.workers[0].kubernetes.service;
}

function spread(timesMs) {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return `${Math.round(sorted[Math.floor(sorted.length / 2)])} ms (median), ${Math.round(sorted.at(-1))} ms (longest)`;
}
