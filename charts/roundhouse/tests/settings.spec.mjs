// What the chart writes, the processes read: each rendered file goes through the parser that the process starts with.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { policyConfig, routerConfig } from '../../../apps/router/src/config.js';
import { replayConfig } from '../../../apps/replay/src/config.js';
import { toolWorkerConfig } from '../../../apps/tool-worker/src/config.js';
import { render, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { find } from '../../../tools/chart/rendered.mjs';

const EVERYTHING = VALUES_FILES['everything-on'];
const LONG = 'r'.repeat(53);
let folder;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'settings-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** As the process does in its pod: the file of the ConfigMap, then the container's environment. */
function load(config, objects, end) {
  const file = join(folder, 'roundhouse.yaml');
  writeFileSync(file, find(objects, 'ConfigMap', end).data['roundhouse.yaml']);
  const [{ env }] = find(objects, 'Deployment', end).spec.template.spec.containers;
  const environment = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  return config.load({ ...environment, ROUNDHOUSE_CONFIG_FILE: file });
}

describe.each(Object.entries(VALUES_FILES))('with the values of %s', (_name, files) => {
  const objects = render({ files });

  it('the router starts', () => {
    expect(load(routerConfig, objects, '-router')).toMatchObject({
      listen: { port: 3000 },
      admin: { port: 9090 },
      keyset: { file: '/etc/roundhouse/keyset/keyset.json' },
    });
  });

  it('the replay service starts', () => {
    expect(load(replayConfig, objects, '-replay')).toMatchObject({ listen: { port: 4200 }, store: { kind: 'redis' } });
  });

  it('the reference worker starts', () => {
    expect(load(toolWorkerConfig, objects, '-worker-reference')).toMatchObject({
      listen: { port: 4100 },
      admin: { port: 9090 },
    });
  });
});

describe.each([
  ['a short name', 'rh'],
  ['a long name', LONG],
])('with %s', (_name, release) => {
  const options = { files: EVERYTHING, release, args: ['--namespace', 'mcp'] };
  const pods = (objects) => objects.filter(({ kind, spec }) => kind === 'Service' && spec.clusterIP === 'None');

  it('routers look for the EndpointSlices of the Services of workers and replay pods', () => {
    const objects = render(options);
    const { workers, replay } = load(routerConfig, objects, '-router');
    const found = [...workers, replay].map(({ kubernetes }) => kubernetes);
    const expected = pods(objects).map(({ metadata, spec }) => ({
      service: metadata.name,
      portName: spec.ports[0].name,
    }));
    expect(found).toHaveLength(3);
    for (const each of found) expect(expected).toContainEqual(each);
  });

  it('routers look for the names of those Services where there is no other way', () => {
    const objects = render({ ...options, values: { discovery: { mode: 'dns', refreshMs: 900 } } });
    const { workers, replay } = load(routerConfig, objects, '-router');
    const expected = pods(objects).map(({ metadata, spec }) => ({
      name: `${metadata.name}.mcp.svc.cluster.local`,
      port: spec.ports[0].port,
      refreshMs: 900,
    }));
    for (const { dns } of [...workers, replay]) expect(expected).toContainEqual(dns);
  });

  it('each side asks for the certificate that the other one gets', () => {
    const objects = render(options);
    const namesOf = (end) => find(objects, 'Certificate', end).spec.dnsNames;
    const { workers, replay, rpcTls } = load(routerConfig, objects, '-router');
    expect(rpcTls).toEqual({
      certFile: '/etc/roundhouse/tls/tls.crt',
      keyFile: '/etc/roundhouse/tls/tls.key',
      caFile: '/etc/roundhouse/tls/ca.crt',
    });
    expect([replay.serverName]).toEqual(namesOf('-replay'));
    for (const { id, serverName } of workers) expect([serverName]).toEqual(namesOf(`-worker-${id}`));
    const routers = namesOf('-router');
    expect(load(replayConfig, objects, '-replay').listen.tls).toEqual({ ...rpcTls, clientNames: routers });
    expect(load(toolWorkerConfig, objects, '-worker-reference').listen.tls).toEqual({
      ...rpcTls,
      clientNames: routers,
    });
  });
});

it('workers are asked in their order, then by name, and those switched off not at all', () => {
  const image = { repository: 'a' };
  const workers = { b: { image }, a: { image }, z: { image, order: 1 }, off: { image, enabled: false } };
  const { workers: groups } = load(routerConfig, render({ values: { workers } }), '-router');
  expect(groups.map(({ id }) => id)).toEqual(['z', 'a', 'b', 'reference']);
});

it('what the chart decides wins, and the rest of a section stays', () => {
  const config = { keyset: { pollMs: 2_000 }, limits: { callsMax: 7 }, allowedHosts: ['a'] };
  const router = load(routerConfig, render({ values: { router: { config } } }), '-router');
  expect(router).toMatchObject({ ...config, keyset: { pollMs: 2_000, file: '/etc/roundhouse/keyset/keyset.json' } });
  const replay = { config: { store: { commandTimeoutMs: 100 }, outcomeWaitersMax: 5 } };
  expect(load(replayConfig, render({ values: { replay } }), '-replay')).toMatchObject(replay.config);
});

describe.each(['kubernetes', 'dns'])('with discovery by %s, routers', (mode) => {
  const values = { discovery: { mode }, rpcTls: { enabled: true, issuer: { name: 'a' } } };
  const objects = render({ values });
  const service = find(objects, 'Service', '-router-pods');
  const peersOf = () => load(routerConfig, objects, '-router').peers;

  it('listen for each other where the Service of their pods says', () => {
    const peers = peersOf();
    const [{ ports }] = find(objects, 'Deployment', '-router').spec.template.spec.containers;
    expect(service.spec.ports).toContainEqual(
      expect.objectContaining({ name: 'rpc', port: peers.port, targetPort: 'rpc' }),
    );
    expect(ports).toContainEqual({ name: 'rpc', containerPort: peers.port });
    expect((peers.kubernetes?.service ?? peers.dns.name).split('.')[0]).toBe(service.metadata.name);
  });

  it('name themselves by the address of their pod, and show the certificate of the routers', () => {
    const [{ env }] = find(objects, 'Deployment', '-router').spec.template.spec.containers;
    expect(env).toContainEqual({
      name: 'ROUNDHOUSE_PEER_ADVERTISED_HOST',
      valueFrom: { fieldRef: { fieldPath: 'status.podIP' } },
    });
    expect(find(objects, 'Certificate', '-router').spec.dnsNames).toEqual([peersOf().serverName]);
  });
});

it('routers believe the proxies that the values name, and by default none', () => {
  const proxies = (options) => load(routerConfig, render(options), '-router').trustedProxies;
  expect(proxies({ files: VALUES_FILES.production })).toEqual(['10.244.0.0/16']);
  expect(proxies({})).toEqual([]);
});

it('a Redis with Sentinels is told of by name, user and file', () => {
  expect(load(replayConfig, render({ files: VALUES_FILES.sentinel }), '-replay').store).toMatchObject({
    urlFile: '/etc/roundhouse/redis/url',
    sentinels: [
      'sentinel-0.sentinel.redis.svc:26379',
      'sentinel-1.sentinel.redis.svc:26379',
      'sentinel-2.sentinel.redis.svc:26379',
    ],
    sentinelName: 'roundhouse',
    replicasMin: 1,
  });
});

it('a Redis Cluster is told of by some of its nodes', () => {
  const redis = { bundled: { enabled: false }, existingSecret: 'r', cluster: ['a:6379', 'b:6379'] };
  expect(load(replayConfig, render({ values: { redis } }), '-replay').store.cluster).toEqual(redis.cluster);
});

it('the public address is the one given, or that of the Service', () => {
  const url = (values) => load(routerConfig, render({ values }), '-router').publicUrl;
  expect(url({})).toBe('http://rh-roundhouse-router.default.svc.cluster.local/mcp');
  expect(url({ router: { service: { port: 81 } } })).toBe(
    'http://rh-roundhouse-router.default.svc.cluster.local:81/mcp',
  );
  expect(url({ publicUrl: 'https://a.example.com/x' })).toBe('https://a.example.com/x');
});

describe('the policy', () => {
  const policyOf = (options) => policyConfig.parse(find(render(options), 'ConfigMap', '-policy').data['policy.yaml']);

  it('is what the values say, and the scopes of workers', () => {
    const { rules, limits, unmatched } = policyOf({ files: EVERYTHING });
    expect(rules.map(({ name, tools, prompts, scopes }) => ({ name, tools, prompts, scopes }))).toEqual([
      { name: 'reading', tools: ['echo'], prompts: [], scopes: ['tools'] },
      { name: 'worker-billing', tools: ['billing_*'], prompts: ['billing_*'], scopes: ['billing'] },
    ]);
    expect([unmatched, limits[0].perSecond]).toEqual(['deny', 20]);
  });

  it('is not there where there is nothing to say', () => {
    expect(() => find(render(), 'ConfigMap', '-policy')).toThrow('0 objects');
    expect(load(routerConfig, render(), '-router').policy.file).toBeUndefined();
  });
});

it('a worker of any make gets the file that its values hold', () => {
  const config = { shelf: { size: 3 }, names: ['a'] };
  const objects = render({ values: { workers: { tea: { image: { repository: 'tea' }, config } } } });
  expect(parse(find(objects, 'ConfigMap', '-worker-tea').data['roundhouse.yaml'])).toEqual(config);
});

it('the log level is one for all', () => {
  const objects = render({ values: { logLevel: 'debug' } });
  const levels = [
    load(routerConfig, objects, '-router'),
    load(replayConfig, objects, '-replay'),
    load(toolWorkerConfig, objects, '-worker-reference'),
  ];
  expect(levels.map(({ logLevel }) => logLevel)).toEqual(['debug', 'debug', 'debug']);
});

it('traces go from every process to the one collector', () => {
  const objects = render({ files: EVERYTHING });
  const endpoint = 'http://collector.observability:4318';
  expect(load(routerConfig, objects, '-router').tracing).toMatchObject({ endpoint, ratio: 0.5 });
  expect(load(replayConfig, objects, '-replay').tracing).toMatchObject({ endpoint });
  expect(load(toolWorkerConfig, objects, '-worker-reference').tracing).toMatchObject({ endpoint });
});
