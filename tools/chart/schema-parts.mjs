// The pieces that the schema of the chart's values is made of. What is Kubernetes' own, such as tolerations, is taken as
// it comes: the API server knows it better.
export const text = { type: 'string' };
export const bool = { type: 'boolean' };
export const name = { type: 'string', maxLength: 253 };
export const count = (minimum, maximum) => ({ type: 'integer', minimum, ...(maximum !== undefined && { maximum }) });
export const oneOf = (...values) => ({ enum: values });
export const listOf = (items, rest = {}) => ({ type: 'array', items, ...rest });
/** An object of ours: a key that is not named is a mistake. */
export const strict = (properties, rest = {}) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...rest,
});
/** An object whose keys the operator chooses. */
export const mapOf = (values, rest = {}) => ({ type: 'object', additionalProperties: values, ...rest });
export const foreign = { type: 'object' };
export const foreignList = listOf(foreign);
export const ref = (definition) => ({ $ref: `#/definitions/${definition}` });

const scalar = { type: ['string', 'number', 'boolean'] };
export const annotations = mapOf(scalar);
/** Ours stand in selectors, and a key cannot be there twice. */
export const labels = mapOf(text, {
  propertyNames: { not: { pattern: '^(app\\.kubernetes\\.io|helm\\.sh|roundhouse)/' } },
});

const tag = { type: ['string', 'number'] };
const digest = { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' };
export const hostPorts = listOf({ type: 'string', pattern: '^(\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9._-]+):[0-9]{1,5}$' });
export const peers = listOf(strict({ podSelector: foreign, namespaceSelector: foreign, ipBlock: foreign }));
export const ports = listOf(count(1, 65_535), { minItems: 1 });
/** Kubernetes lets a pod take longer to stop, but no node waits for it. */
const STOP_SECONDS_MAX = 3_600;
const PODS_MAX = 1_000;

const pods = { minReplicas: count(1, PODS_MAX), maxReplicas: count(1, PODS_MAX), cpuPercent: count(0, 1_000) };

/** Parts that several components have, by the name under which `ref` finds them. */
export const definitions = {
  image: strict({ repository: text, tag, digest }),
  resources: strict({ requests: mapOf(scalar), limits: mapOf(scalar), claims: foreignList }),
  autoscaling: strict({ enabled: bool, ...pods, inflight: strict({ metric: text, target: count(0) }) }),
  keda: strict({ enabled: bool, ...pods, triggers: foreignList }),
  pdb: strict({ enabled: bool, maxUnavailable: { type: ['integer', 'string'], minimum: 1 } }),
  drain: strict({
    preStopSeconds: count(0, STOP_SECONDS_MAX),
    terminationGracePeriodSeconds: count(1, STOP_SECONDS_MAX),
  }),
  serviceAccount: strict({ create: bool, name, annotations }),
};

const shared = ['resources', 'autoscaling', 'keda', 'pdb', 'drain', 'serviceAccount'];

/** A component that runs as a Deployment, and what it has besides. */
export const component = (own) =>
  strict({
    image: ref('image'),
    replicas: { type: ['integer', 'null'], minimum: 1, maximum: PODS_MAX },
    ...Object.fromEntries(shared.map((part) => [part, ref(part)])),
    rpcTlsSecret: name,
    podAnnotations: annotations,
    podLabels: labels,
    nodeSelector: mapOf(scalar),
    tolerations: foreignList,
    affinity: foreign,
    priorityClassName: name,
    topologySpreadConstraints: foreignList,
    extraEnv: listOf({ type: 'object', required: ['name'], properties: { name: text } }),
    extraEnvFrom: foreignList,
    extraVolumes: foreignList,
    extraVolumeMounts: foreignList,
    ...own,
  });
