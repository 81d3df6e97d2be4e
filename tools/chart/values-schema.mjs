// charts/roundhouse/values.schema.json: what may be set, strict at every level that is ours. Settings of the processes are
// taken from their own schemas, so that the chart accepts what they accept.
import {
  annotations,
  bool,
  component,
  count,
  definitions,
  foreign,
  foreignList,
  hostPorts,
  labels,
  listOf,
  mapOf,
  name,
  oneOf,
  peers,
  ports,
  ref,
  strict,
  text,
} from './schema-parts.mjs';
import { readSettings } from './settings-shape.mjs';

const ipFamily = oneOf('IPv4', 'IPv6');
const dnsLabel = { type: 'string', maxLength: 63, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$' };
/** As roundhouse-keys takes it. */
const duration = { type: 'string', pattern: '^[0-9]{1,6}[smhd]$' };
/** As Prometheus takes it. */
const interval = { type: 'string', pattern: '^([0-9]+(ms|[smhdwy]))+$' };
/** Ids of worker groups, as the router takes them; a Service cannot end in a hyphen. */
const WORKER_ID = '^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$';

const prefix = { type: 'string', pattern: '^[A-Za-z0-9_.-]{0,32}$' };

function workerOf({ toolWorker }) {
  return component({
    enabled: bool,
    order: count(0, 999_999),
    prefix,
    scopes: listOf({ type: 'string', minLength: 1 }),
    config: { type: 'object', properties: { toolWorker } },
    egress: foreignList,
  });
}

const selector = { ...text, maxLength: 1_024, pattern: '^[A-Za-z0-9_./=!,() -]*$' };
const externalWorker = strict({
  order: count(0, 999_999),
  prefix,
  scopes: listOf({ type: 'string', minLength: 1 }),
  service: dnsLabel,
  selector,
  portName: { ...name, minLength: 1, maxLength: 63 },
  // Those speak MCP, and routers call workers.
  appProtocol: { ...name, not: { pattern: '^(agentgateway|kgateway)\\.dev/mcp' } },
  port: count(1, 65_535),
  podLabels: mapOf(text),
  serverName: name,
});

function basics() {
  return {
    global: { type: 'object', properties: { imageRegistry: text } },
    nameOverride: dnsLabel,
    fullnameOverride: dnsLabel,
    commonLabels: labels,
    production: bool,
    openshift: oneOf('auto', 'on', 'off'),
    clusterDomain: { ...name, minLength: 1 },
    listenHost: { ...text, minLength: 1 },
    logLevel: oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    publicUrl: { type: 'string', pattern: '^(https?://[^/?#@]+(/[^?#]*)?)?$' },
    image: strict({
      registry: text,
      tag: { type: ['string', 'number'] },
      pullPolicy: oneOf('IfNotPresent', 'Always', 'Never'),
    }),
    imagePullSecrets: listOf(strict({ name })),
    service: strict({
      ipFamilyPolicy: oneOf('SingleStack', 'PreferDualStack', 'RequireDualStack'),
      ipFamilies: listOf(ipFamily, { maxItems: 2 }),
    }),
  };
}

function stores() {
  const storage = strict({ size: { type: 'string' }, storageClassName: name });
  return {
    keyset: strict({
      existingSecret: name,
      key: { ...name, minLength: 1 },
      inline: text,
      resources: ref('resources'),
      rotation: strict({ enabled: bool, schedule: { ...text, minLength: 9 }, stateLife: duration }),
    }),
    redis: strict({
      existingSecret: name,
      existingSecretKey: { ...name, minLength: 1 },
      url: { type: 'string', pattern: '^(rediss?://.+)?$' },
      sentinels: hostPorts,
      sentinelName: text,
      cluster: hostPorts,
      replicasMin: count(0, 16),
      ca: strict({ existingSecret: name, key: { ...name, minLength: 1 } }),
      bundled: strict({
        enabled: bool,
        image: ref('image'),
        runAsUser: { type: ['integer', 'null'], minimum: 1 },
        storage,
        resources: ref('resources'),
      }),
    }),
  };
}

function surroundings() {
  const place = strict({ peers, ports });
  const call = { tool: text, arguments: foreign };
  return {
    discovery: strict({
      mode: oneOf('dns', 'kubernetes'),
      refreshMs: count(1, 60_000),
      tokenSeconds: count(600, 86_400),
    }),
    rpcTls: strict({ enabled: bool, issuer: strict({ name, kind: oneOf('Issuer', 'ClusterIssuer') }) }),
    tracing: strict({
      endpoint: { type: 'string', pattern: '^(https?://.+)?$' },
      ratio: { type: 'number', minimum: 0, maximum: 1 },
    }),
    networkPolicy: strict({
      enabled: bool,
      clients: peers,
      monitoring: peers,
      authorizationServers: peers,
      redis: place,
      apiServer: place,
      tracing: place,
      routerEgress: foreignList,
    }),
    gateway: strict({ enabled: bool, parentRefs: foreignList, hostnames: listOf(name), annotations }),
    ingress: strict({
      enabled: bool,
      className: text,
      host: text,
      annotations: { ...annotations, type: ['object', 'null'] },
      tls: strict({ enabled: bool, secretName: name, clusterIssuer: name }),
    }),
    monitoring: strict({
      kind: oneOf('none', 'PodMonitor', 'ServiceMonitor'),
      renderMode: oneOf('skipIfMissing', 'failIfMissing', 'alwaysRender'),
      interval,
      labels,
      rules: strict({ enabled: bool }),
      dashboards: strict({ enabled: bool, label: text, labelValue: text, folder: text }),
    }),
    tests: strict({
      enabled: bool,
      tokenSecret: name,
      tokenKey: { ...name, minLength: 1 },
      call: strict(call),
      flow: strict({ ...call, answers: foreign }),
      resources: ref('resources'),
    }),
    extraObjects: { type: 'array', items: { type: ['object', 'string'] } },
  };
}

export async function valuesSchema() {
  const settings = await readSettings();
  const service = strict({
    type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
    port: count(1, 65_535),
    annotations,
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the Roundhouse chart',
    ...strict({
      ...basics(),
      auth: settings.auth,
      policy: settings.policy,
      router: component({ config: settings.router, secrets: listOf({ ...name, minLength: 1 }), service }),
      replay: component({ config: settings.replay }),
      workerDefaults: ref('worker'),
      workers: mapOf(ref('worker'), { propertyNames: { pattern: WORKER_ID } }),
      externalWorkers: mapOf(externalWorker, { propertyNames: { pattern: WORKER_ID } }),
      ...stores(),
      ...surroundings(),
    }),
    definitions: { ...definitions, worker: workerOf(settings) },
  };
}
