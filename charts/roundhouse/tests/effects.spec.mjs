// No value is there for nothing: each key of values.yaml, changed, changes what is rendered.
import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CHART, OPERATORS, renderText, VALUES_FILES } from '../../../tools/chart/helm.mjs';

const DEFAULTS = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));
const EVERYTHING = VALUES_FILES['everything-on'];
const INGRESS = { gateway: { enabled: false }, ingress: { enabled: true, tls: { enabled: true, secretName: 'a' } } };
const OWN_REDIS = { bundled: { enabled: false }, existingSecret: 'redis', ca: { existingSecret: 'ca' } };
const component = (part, values) => (part === 'workerDefaults' ? { workerDefaults: values } : { [part]: values });

/** Two workers that say little themselves, one of which is last only because of its name. */
const WORKERS = {
  workerDefaults: { image: { repository: 'w' } },
  workers: {
    reference: null,
    plain: { prefix: 'p_' },
    z: { enabled: true, prefix: 'z_', order: 100 },
  },
};

/** What else has to be so for a key to count, by the beginning of the key. */
const CONTEXTS = [
  [/^ingress\./, INGRESS],
  [/^redis\.(existing|url|sentinel|cluster|replicasMin|ca)/, { redis: OWN_REDIS }],
  [/^networkPolicy\.redis/, { redis: OWN_REDIS }],
  [/^discovery\.refreshMs/, { discovery: { mode: 'dns' } }],
  [/^(router|replay|workerDefaults)\.(replicas|autoscaling|keda)/, 'scaling'],
  [/^workerDefaults\.prefix/, { workers: { bare: {} } }],
  [/^workerDefaults\.rpcTlsSecret/, { rpcTls: { enabled: true, issuer: { name: 'internal' } } }],
  [/^monitoring\.renderMode/, { monitoring: { renderMode: 'skipIfMissing' } }],
];

/** Values that cannot be made by changing the default, because most others would be refused. */
const CHANGED = {
  publicUrl: 'https://other.example.com/mcp',
  openshift: 'on',
  logLevel: 'warn',
  'image.pullPolicy': 'Always',
  'service.ipFamilyPolicy': 'SingleStack',
  'service.ipFamilies': ['IPv4'],
  'auth.mode': 'closed',
  policy: { unmatched: 'allow' },
  externalWorkers: { ledger: { service: 'ledger', serverName: 'ledger.svc' } },
  'keyset.rotation.schedule': '9 9 * * *',
  'keyset.rotation.stateLife': '30m',
  'router.autoscaling.enabled': true,
  'replay.autoscaling.enabled': true,
  'workerDefaults.autoscaling.enabled': true,
  'keyset.inline': undefined,
  'discovery.mode': 'dns',
  'rpcTls.enabled': undefined,
  'rpcTls.issuer.kind': 'ClusterIssuer',
  'tracing.endpoint': 'http://other:4318',
  'tracing.ratio': 0.25,
  'router.service.type': 'NodePort',
  'monitoring.kind': 'ServiceMonitor',
  'monitoring.renderMode': 'alwaysRender',
  'monitoring.interval': '10s',
  'redis.url': undefined,
  'redis.cluster': undefined,
  'redis.sentinelName': undefined,
  'redis.sentinels': undefined,
  'redis.bundled.enabled': undefined,
  'ingress.enabled': undefined,
  'ingress.tls.enabled': undefined,
  production: undefined,
};
/** Keys of what the values say nothing about: arguments of tools, Kubernetes' own. */
const WHOLE = /\.(resources|arguments|answers)$|^(workers|global)$/;
/** Alerts and dashboards are files of the chart, which may have none. */
const BY_FILES = /^monitoring\.(rules|dashboards)\./;

it.each(
  leavesOf(DEFAULTS).filter(({ path }) => !BY_FILES.test(path) && !(path in CHANGED && CHANGED[path] === undefined)),
)('$path', ({ path, value }) => {
  const context = contextOf(path);
  const options = { files: path.startsWith('workerDefaults') ? [] : EVERYTHING, ...apisFor(path) };
  const before = renderText({ ...options, values: context });
  const values = merged(context, nested(path, changed(path, value)));
  expect(renderText({ ...options, values })).not.toBe(before);
});

function apisFor(path) {
  return path === 'monitoring.renderMode' ? {} : { apis: OPERATORS };
}

function contextOf(path) {
  const found = CONTEXTS.find(([pattern]) => pattern.test(path))?.[1] ?? {};
  const workers = path.startsWith('workerDefaults') ? WORKERS : {};
  return merged(workers, found === 'scaling' ? scalingOf(path) : found);
}

function scalingOf(path) {
  const [part, name] = path.split('.');
  const on = name === 'replicas' || /\.enabled$/.test(path) ? {} : { [name]: { enabled: true } };
  const off = { autoscaling: { enabled: false, inflight: { target: 50 } }, keda: { enabled: false } };
  return component(part, merged(off, on));
}

function changed(path, value) {
  if (path in CHANGED) return CHANGED[path];
  if (path.endsWith('resources')) return { limits: { memory: '999Mi' } };
  if (path.endsWith('digest')) return `sha256:${'b'.repeat(64)}`;
  if (path.endsWith('terminationGracePeriodSeconds')) return 99;
  if (path.endsWith('config'))
    return path.startsWith('workerDefaults')
      ? { other: { a: 1 } }
      : {
          [path.startsWith('router') ? 'cache' : 'outcomeWaitersMax']: path.startsWith('router') ? { listTtlMs: 1 } : 9,
        };
  if (/[pP]eers$|clients$|monitoring$|authorizationServers$/.test(path))
    return [{ podSelector: { matchLabels: { changed: 'yes' } } }];
  if (/ports$/.test(path)) return [1234];
  if (path.endsWith('replicas')) return 7;
  if (typeof value === 'boolean') return flipped(path, value);
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value))
    return path.endsWith('secrets') || /scopes|hostnames/.test(path) ? ['changed'] : [{ name: 'changed' }];
  if (typeof value === 'object' && value !== null) return { changed: 'yes' };
  return 'changed';
}

/** What everything-on switched on is switched off, and the other way round. */
function flipped(path, value) {
  const on = parse(readFileSync(EVERYTHING[0], 'utf8'));
  const there = path.split('.').reduce((at, key) => at?.[key], on);
  return !(there ?? value);
}

function nested(path, value) {
  return path.split('.').reduceRight((below, key) => ({ [key]: below }), value);
}

function merged(one, other) {
  const result = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const both = [result[key], value].every(
      (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
    );
    result[key] = both ? merged(result[key], value) : value;
  }
  return result;
}

function leavesOf(value, path = []) {
  const name = path.join('.');
  const isTree = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
  if (!isTree || WHOLE.test(name)) return name === 'workers' || name === 'global' ? [] : [{ path: name, value }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}
