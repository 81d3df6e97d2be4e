// Values that make no sense are refused, in words that name the key.
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { CHART, HELMS, refusal, render, VALUES_FILES } from '../../../tools/chart/helm.mjs';

const SCALED = { enabled: true };
const OWN_REDIS = { bundled: { enabled: false }, existingSecret: 'redis' };
const key = (k) => JSON.stringify({ version: 1, keys: [{ kid: 'a', k }] });
const known = (word) => Buffer.from(word, 'hex').toString('base64url');
const SHA256_OF_CHANGEME = '057ba03d6c44104863dc7361fe4578965d1887360f90a0895882e58a6248fc86';

const IMPOSSIBLE = [
  [
    'two autoscalers',
    { router: { autoscaling: SCALED, keda: SCALED } },
    'router.keda.enabled: autoscaling.enabled is on, too',
  ],
  [
    'autoscaling and a fixed number of routers',
    { router: { autoscaling: SCALED, replicas: 3 } },
    'router.replicas: autoscaling decides',
  ],
  [
    'autoscaling and a fixed number of replay pods',
    { replay: { keda: SCALED, replicas: 3 } },
    'replay.replicas: autoscaling decides',
  ],
  [
    'autoscaling and a fixed number of workers',
    { workers: { reference: { autoscaling: SCALED, replicas: 3 } } },
    'workers.reference.replicas: autoscaling decides',
  ],
  [
    'more pods at least than at most',
    { router: { autoscaling: { ...SCALED, minReplicas: 9, maxReplicas: 3 } } },
    'router.autoscaling.minReplicas: is above',
  ],
  [
    'more pods at least than at most, with KEDA',
    { replay: { keda: { ...SCALED, minReplicas: 9, maxReplicas: 3 } } },
    'replay.keda.minReplicas: is above',
  ],
  [
    'autoscaling by nothing',
    { router: { autoscaling: { ...SCALED, cpuPercent: 0 } } },
    'router.autoscaling: needs cpuPercent or inflight.target',
  ],
  ['KEDA by nothing', { router: { keda: { ...SCALED, cpuPercent: 0 } } }, 'router.keda: needs cpuPercent or triggers'],
  [
    'autoscaling by a processor that nobody asked for',
    { router: { autoscaling: SCALED, resources: { requests: { cpu: null } } } },
    'router.resources.requests.cpu: autoscaling',
  ],
  [
    'a grace period that ends within the drain',
    { router: { drain: { preStopSeconds: 20 } } },
    'router.drain.terminationGracePeriodSeconds: must be at least 85',
  ],
  [
    'a grace period of the old kind',
    { workerDefaults: { drain: { terminationGracePeriodSeconds: 30 } } },
    'workers.reference.drain.terminationGracePeriodSeconds: must be at least 75',
  ],
  [
    'a grace period that ends within the router’s own patience',
    { router: { config: { drain: { timeoutMs: 120_000 } } } },
    'router.drain.terminationGracePeriodSeconds: must be at least 135',
  ],
  [
    'a worker without an image',
    { workers: { billing: { prefix: 'b_' } } },
    'workers.billing.image.repository: a worker needs an image',
  ],
  [
    'scopes of a worker whose tools cannot be told apart',
    { workers: { reference: { scopes: ['a'] } } },
    'workers.reference.prefix: scopes need one',
  ],
  [
    'a worker of somebody else that is nowhere',
    { externalWorkers: { billing: {} } },
    'externalWorkers.billing: name one of service and selector',
  ],
  [
    'a worker of somebody else in two places',
    { externalWorkers: { billing: { service: 'a', selector: 'b=c' } } },
    'externalWorkers.billing: name one of service and selector',
  ],
  [
    'one id for two workers',
    { externalWorkers: { reference: { service: 'a' } } },
    'externalWorkers.reference: workers.reference has this id, too',
  ],
  [
    'scopes of somebody else’s worker whose tools cannot be told apart',
    { externalWorkers: { billing: { service: 'a', scopes: ['b'] } } },
    'externalWorkers.billing.prefix: scopes need one',
  ],
  [
    'a worker of somebody else whose certificate may be made out to anybody',
    { externalWorkers: { billing: { service: 'a' } }, rpcTls: { enabled: true, issuer: { name: 'a' } } },
    'externalWorkers.billing.serverName: rpcTls.enabled needs the name',
  ],
  [
    'a worker of somebody else that nobody can find',
    { externalWorkers: { billing: { service: 'a' } }, discovery: { mode: 'dns' } },
    'externalWorkers.billing: needs discovery.mode kubernetes',
  ],
  ['no worker', { workers: { reference: { enabled: false } } }, 'workers: at least one has to be enabled'],
  ['two stores', { redis: { existingSecret: 'redis' } }, 'redis.bundled.enabled: there is a Redis of your own'],
  ['no store', { redis: { bundled: { enabled: false } } }, 'redis.existingSecret: name the Secret'],
  [
    'two addresses of the store',
    { redis: { ...OWN_REDIS, url: 'redis://r' } },
    'redis.url: redis.existingSecret has the address already',
  ],
  [
    'a password of the store in the values',
    { redis: { bundled: { enabled: false }, url: 'redis://u:p@r' } },
    'redis.url: holds a password',
  ],
  [
    'Sentinels and a cluster',
    { redis: { ...OWN_REDIS, sentinels: ['a:1'], sentinelName: 's', cluster: ['b:1'] } },
    'redis.cluster: redis.sentinels are set, too',
  ],
  [
    'Sentinels without a name',
    { redis: { ...OWN_REDIS, sentinels: ['a:1'] } },
    'redis.sentinelName: goes together with redis.sentinels',
  ],
  [
    'a name without Sentinels',
    { redis: { ...OWN_REDIS, sentinelName: 's' } },
    'redis.sentinelName: goes together with redis.sentinels',
  ],
  [
    'replicas of the bundled store',
    { redis: { replicasMin: 1 } },
    'redis.replicasMin: the bundled Redis has no replicas',
  ],
  [
    'tokens of nobody',
    { auth: { mode: 'oauth' }, publicUrl: 'https://a/mcp' },
    'auth.issuers: mode oauth needs at least one',
  ],
  [
    'tokens in the clear',
    { auth: { mode: 'oauth', issuers: [{ issuer: 'https://a' }] } },
    'publicUrl: must be https in mode oauth',
  ],
  [
    'a route without a Gateway',
    { gateway: { enabled: true }, publicUrl: 'https://a/mcp' },
    'gateway.parentRefs: an HTTPRoute needs a Gateway',
  ],
  [
    'a route to an unknown host',
    { gateway: { enabled: true, parentRefs: [{ name: 'a' }] } },
    'publicUrl: gateway.enabled needs the address',
  ],
  ['an Ingress for an unknown host', { ingress: { enabled: true } }, 'publicUrl: ingress.enabled needs the address'],
  [
    'two ways in',
    { gateway: { enabled: true, parentRefs: [{ name: 'a' }] }, ingress: { enabled: true }, publicUrl: 'http://a/mcp' },
    'ingress.enabled: gateway.enabled is on, too',
  ],
  [
    'TLS without a certificate',
    { ingress: { enabled: true, tls: { enabled: true } }, publicUrl: 'https://a/mcp' },
    'ingress.tls: needs a certificate',
  ],
  [
    'https that is served in the clear',
    { ingress: { enabled: true }, publicUrl: 'https://a/mcp' },
    'ingress.tls.enabled: publicUrl is https',
  ],
  [
    'two keysets',
    { keyset: { existingSecret: 'a', inline: key('b'.repeat(43)) } },
    'keyset.inline: keyset.existingSecret has the keyset already',
  ],
  [
    'a rotation that each upgrade undoes',
    { keyset: { inline: key('b'.repeat(43)), rotation: { enabled: true } } },
    'keyset.rotation.enabled: each upgrade would put keyset.inline back',
  ],
  ['a keyset that is none', { keyset: { inline: 'hunter2' } }, 'keyset.inline: is no keyset'],
  ['a short key', { keyset: { inline: key('c2hvcnQ') } }, 'keyset.inline: keys[0].k is not 32 bytes long'],
  [
    'a key of one letter',
    { keyset: { inline: key('A'.repeat(43)) } },
    'keyset.inline: keys[0].k is a default or a word',
  ],
  [
    'a key that is a hashed word',
    { keyset: { inline: key(known(SHA256_OF_CHANGEME)) } },
    'keyset.inline: keys[0].k is a default or a word',
  ],
  [
    'a key that is a sentence',
    { keyset: { inline: key(Buffer.from('correct horse battery staple 123').toString('base64url')) } },
    'keyset.inline: keys[0].k is a default or a word',
  ],
  [
    'TLS of the rpc without a certificate',
    { rpcTls: { enabled: true } },
    'router.rpcTlsSecret: rpcTls.enabled needs a certificate',
  ],
  [
    'TLS of the rpc without one for a worker',
    { rpcTls: { enabled: true }, router: { rpcTlsSecret: 'a' }, replay: { rpcTlsSecret: 'b' } },
    'workers.reference.rpcTlsSecret: rpcTls.enabled needs a certificate',
  ],
  [
    'a certificate that nothing would use',
    { replay: { rpcTlsSecret: 'b' } },
    'rpcTls.enabled: replay.rpcTlsSecret is set',
  ],
  [
    'a monitor that nobody reads',
    { monitoring: { kind: 'PodMonitor', renderMode: 'failIfMissing' } },
    'monitoring.renderMode: failIfMissing',
  ],
];

describe.each(HELMS)('with %s, the chart refuses', (helm) => {
  it.each(IMPOSSIBLE)('%s', (_name, values, words) => {
    expect(refusal({ values, helm })).toContain(words);
  });
});

describe('production refuses', () => {
  const files = VALUES_FILES.production;
  it.each([
    ['a keyset that the chart makes', { keyset: { existingSecret: '' } }, 'keyset.existingSecret: production needs'],
    [
      'the bundled store',
      { redis: { bundled: { enabled: true }, existingSecret: '', replicasMin: 0 } },
      'redis.bundled.enabled: production needs',
    ],
    ['callers without tokens', { auth: { mode: 'closed' } }, 'auth.mode: production serves callers with tokens only'],
    ['pods that talk to whom they like', { networkPolicy: { enabled: false } }, 'networkPolicy.enabled: production'],
    [
      'a store that may lose claims',
      { replay: { config: { store: { allowUnsafe: true } } } },
      'replay.config.store: allowUnsafe',
    ],
    [
      'a store without its fence',
      { replay: { config: { store: { epochFence: false } } } },
      'replay.config.store: allowUnsafe',
    ],
    [
      'a single router',
      { router: { autoscaling: { minReplicas: 1 } } },
      'router.replicas: production needs at least 2',
    ],
    ['a single replay pod', { replay: { replicas: 1 } }, 'replay.replicas: production needs at least 2'],
    [
      'a single worker',
      { workerDefaults: { autoscaling: { minReplicas: 1 } } },
      'workers.reference.replicas: production needs at least 2',
    ],
  ])('%s', (_name, values, words) => {
    expect(refusal({ files, values })).toContain(words);
  });

  it('everything at once, in one answer', () => {
    const words = refusal({ values: { production: true } });
    expect(words).toContain('keyset.existingSecret');
    expect(words).toContain('redis.bundled.enabled');
    expect(words).toContain('auth.mode');
  });
});

describe.each(HELMS)('with %s, the schema refuses', (helm) => {
  it.each([
    ['a negative duration', { discovery: { refreshMs: -1 } }, 'refreshMs'],
    ['a negative pause', { router: { drain: { preStopSeconds: -1 } } }, 'preStopSeconds'],
    ['a negative time of a process', { router: { config: { flow: { formTtlMs: -5 } } } }, 'formTtlMs'],
    ['a negative duration of the rotation', { keyset: { rotation: { stateLife: '-10m' } } }, 'stateLife'],
    ['a negative interval', { monitoring: { interval: '-30s' } }, 'interval'],
    ['half a pod', { router: { replicas: 1.5 } }, 'replicas'],
    ['no pod', { router: { replicas: 0 } }, 'replicas'],
    ['a number in words', { router: { replicas: 'three' } }, 'replicas'],
    ['callers that name themselves', { auth: { mode: 'development' } }, 'mode'],
    ['a digest that is none', { router: { image: { digest: 'latest' } } }, 'digest'],
    ['a worker whose name is no name', { workers: { Bad_Name: { image: { repository: 'a' } } } }, 'Bad_Name'],
    ['a label that selectors need', { commonLabels: { 'app.kubernetes.io/name': 'x' } }, 'app.kubernetes.io/name'],
    ['an address without a scheme', { publicUrl: 'mcp.example.com' }, 'publicUrl'],
    ['a setting that the chart decides itself', { router: { config: { publicUrl: 'https://a' } } }, 'publicUrl'],
    ['a store that replicas do not share', { replay: { config: { store: { kind: 'memory' } } } }, 'kind'],
    ['a typo in a setting of the router', { router: { config: { limits: { bodyByteMax: 1 } } } }, 'bodyByteMax'],
    [
      'a typo in a setting of the reference worker',
      { workers: { reference: { config: { toolWorker: { module: [] } } } } },
      'module',
    ],
    ['a typo in a policy', { policy: { rules: [{ name: 'a', tool: ['b'] }] } }, 'tool'],
    ['a typo in an issuer', { auth: { issuers: [{ issuer: 'https://a', audienc: 'b' }] } }, 'audienc'],
    ['a typo at the top', { replicaCuont: 3 }, 'replicaCuont'],
    ['a typo in a worker', { workers: { reference: { replica: 3 } } }, 'replica'],
  ])('%s', (_name, values, word) => {
    expect(refusal({ values, helm })).toContain(word);
  });

  it.each([
    ['settings of a chart above this one', { global: { other: { key: 1 } } }],
    ['a tag that YAML takes for a number', { image: { tag: 1.25 } }],
    ['annotations that are taken away', { ingress: { annotations: null } }],
    [
      'a worker that is taken away for another',
      { workers: { reference: null, other: { image: { repository: 'a' } } } },
    ],
  ])('not %s', (_name, values) => {
    expect(render({ values, helm }).length).toBeGreaterThan(20);
  });
});

describe('a typo is refused in', () => {
  const defaults = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));
  const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'));
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  /** Objects whose keys are the operator's, or Kubernetes' or an argument's. */
  const OPEN =
    /^(global$|workers$|.*\.(requests|limits|matchLabels|arguments|answers|confirm)$|networkPolicy\.(monitoring|authorizationServers))/;
  const isOpen = (path) => OPEN.test(path.slice(0, -1).join('.'));

  it.each(
    pathsOf(defaults)
      .filter((path) => !isOpen(path))
      .map((path) => [path.join('.'), path]),
  )('%s', (_name, path) => {
    const values = structuredClone(defaults);
    const holder = path.slice(0, -1).reduce((at, each) => at[each], values);
    const typo = `${path.at(-1)}x`;
    holder[typo] = holder[path.at(-1)];
    expect(validate(values)).toBe(false);
    expect(validate.errors.map(({ params }) => params.additionalProperty)).toContain(typo);
  });
});

function pathsOf(value, path = []) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const below = Object.entries(value).flatMap(([each, child]) => pathsOf(child, [...path, each]));
  return path.length === 0 ? below : [path, ...below];
}
