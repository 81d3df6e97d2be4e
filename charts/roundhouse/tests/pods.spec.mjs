// What every pod has, and what only some may have.
import { describe, expect, it } from '@jest/globals';
import { render, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { containersOf, find, has, podsOf } from '../../../tools/chart/rendered.mjs';

const EVERYTHING = VALUES_FILES['everything-on'];
const OWN_KEYSET = { keyset: { existingSecret: 'keys' } };
const OWN = ['-router', '-replay', '-worker-reference'];
const deployment = (end, values = {}) => find(render({ values }), 'Deployment', end);
const podOf = (end, values) => deployment(end, values).spec.template;
const containerOf = (end, values) => podOf(end, values).spec.containers[0];
const component = (end) => ({ '-router': 'router', '-replay': 'replay', '-worker-reference': 'workerDefaults' })[end];
const withComponent = (end, values) => ({ [component(end)]: values });

describe('every pod', () => {
  const pods = podsOf(render({ files: EVERYTHING }));

  it.each(pods.map((pod) => [pod.name, pod]))(
    '%s has no token by itself and no environment made of Services',
    (_name, { spec }) => {
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    },
  );

  it.each(pods.map((pod) => [pod.name, pod]))('%s is limited in memory and asks for what it needs', (_name, pod) => {
    for (const { resources } of containersOf(pod)) {
      expect(resources.limits.memory).toBeDefined();
      expect(resources.requests).toMatchObject({ cpu: expect.anything(), memory: expect.anything() });
    }
  });

  it.each(pods.map((pod) => [pod.name, pod]))('%s pulls images with the credentials given', (_name, { spec }) => {
    expect(spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
  });

  it('reads no Secret through its environment', () => {
    const env = pods.flatMap((pod) => containersOf(pod).flatMap((container) => container.env ?? []));
    expect(env.filter(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined)).toEqual([]);
  });
});

describe('tokens for the API server', () => {
  const tokensOf = (objects) =>
    podsOf(objects)
      .filter(({ spec }) =>
        (spec.volumes ?? []).some(({ projected }) => projected?.sources.some((source) => source.serviceAccountToken)),
      )
      .map(({ name }) => name);

  const serving = (values) => render({ values }).filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');

  it('belong to no pod that serves but the router, for an hour', () => {
    expect(tokensOf(serving({}))).toEqual(['Deployment rh-roundhouse-router']);
    const { projected } = podOf('-router').spec.volumes.find(({ name }) => name === 'api-token');
    expect(projected.sources[0]).toEqual({ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } });
    expect(podOf('-router').spec.containers[0].volumeMounts).toContainEqual({
      name: 'api-token',
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      readOnly: true,
    });
  });

  it('belong to no pod that serves where names are looked up', () => {
    expect(tokensOf(serving({ discovery: { mode: 'dns' } }))).toEqual([]);
    expect(has(render({ values: { discovery: { mode: 'dns' } } }), 'Role', '-discovery')).toBe(false);
  });

  it('let the router look at EndpointSlices of its namespace and at nothing else', () => {
    expect(find(render(), 'Role', '-discovery').rules).toEqual([
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ]);
    const { subjects } = find(render(), 'RoleBinding', '-discovery');
    expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'rh-roundhouse-router', namespace: 'default' }]);
  });

  it('belong to the jobs of the keyset, for ten minutes, and to an account that nobody else has', () => {
    const jobs = podsOf(render({ files: EVERYTHING })).filter(({ name }) => !name.startsWith('Deployment'));
    const holders = jobs.filter(({ name }) => name.includes('-keyset-'));
    expect(tokensOf(render({ files: EVERYTHING }).filter(({ kind }) => kind !== 'Deployment'))).toEqual([
      'CronJob rh-roundhouse-keyset-rotate',
      'Job rh-roundhouse-keyset-make',
    ]);
    for (const { name, spec } of holders) {
      const [{ projected }] = spec.volumes;
      expect(projected.sources[0]).toEqual({ serviceAccountToken: { path: 'token', expirationSeconds: 600 } });
      expect(spec.serviceAccountName).toBe(name.split(' ')[1]);
    }
  });

  it.each([
    ['the router and the rotation in production', { files: VALUES_FILES.production }, ['router', 'keyset-rotate']],
    ['the router alone where the keyset is looked after elsewhere', { values: OWN_KEYSET }, ['router']],
    ['nobody there when names are looked up', { values: { ...OWN_KEYSET, discovery: { mode: 'dns' } } }, []],
    ['the router and the job that makes a keyset by default', {}, ['router', 'keyset-make']],
  ])('belong to %s, and to no other pod', (_name, options, ends) => {
    const objects = render(options);
    const expected = ends.map((end) => expect.stringMatching(new RegExp(`^\\w+ rh-roundhouse-${end}$`)));
    expect(tokensOf(objects)).toEqual(expect.arrayContaining(expected));
    expect(tokensOf(objects)).toHaveLength(ends.length);
    // What mounts a token by itself, or one that never ends.
    const all = JSON.stringify(podsOf(objects).map(({ spec }) => spec));
    expect(all).not.toMatch(/"automountServiceAccountToken":true|service-account-token/);
  });

  it('are asked for by no ServiceAccount', () => {
    const accounts = render({ files: EVERYTHING }).filter(({ kind }) => kind === 'ServiceAccount');
    expect(accounts.length).toBeGreaterThan(4);
    expect(accounts.filter((account) => account.automountServiceAccountToken !== false)).toEqual([]);
  });

  it('let nobody read a Secret but the one of the keyset', () => {
    const rules = render({ files: EVERYTHING })
      .filter(({ kind }) => kind === 'Role')
      .flatMap((role) => role.rules)
      .filter(({ resources }) => resources.includes('secrets'));
    expect(rules.map(({ verbs, resourceNames }) => [verbs, resourceNames])).toEqual([
      [['get', 'update'], ['rh-roundhouse-keyset']],
      [['create'], undefined],
    ]);
    expect(has(render({ files: EVERYTHING }), 'ClusterRole')).toBe(false);
  });
});

describe.each(OWN)('a pod of %s', (end) => {
  it('is started, alive and ready by its admin port, and alive whatever it depends on', () => {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(end);
    expect(startupProbe).toMatchObject({
      periodSeconds: 1,
      failureThreshold: 60,
      httpGet: { path: '/livez', port: 'admin' },
    });
    expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: 'admin' });
    expect(readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'admin' }, periodSeconds: 5 });
  });

  it('goes on for ten seconds when it is to stop, and has a minute and more after that', () => {
    const { spec } = podOf(end);
    expect(spec.containers[0].lifecycle).toEqual({ preStop: { sleep: { seconds: 10 } } });
    expect(spec.terminationGracePeriodSeconds).toBe(80);
  });

  it('stops at once where no proxy has to be waited for', () => {
    const values = withComponent(end, { drain: { preStopSeconds: 0, terminationGracePeriodSeconds: 65 } });
    expect(containerOf(end, values).lifecycle).toBeUndefined();
  });

  it.each([
    ['512Mi', '384'],
    ['1Gi', '768'],
    ['3Gi', '2304'],
  ])('has three quarters of %s for its heap', (memory, heap) => {
    const { env } = containerOf(end, withComponent(end, { resources: { limits: { memory } } }));
    expect(env).toContainEqual({ name: 'NODE_OPTIONS', value: `--max-old-space-size=${heap}` });
  });

  it.each(['500M', 1073741824, null])('leaves the heap to Node where the limit is %s', (memory) => {
    const { env } = containerOf(end, withComponent(end, { resources: { limits: { memory } } }));
    expect(env.map(({ name }) => name)).not.toContain('NODE_OPTIONS');
  });

  it('is spread over zones and nodes, anew with each version, and runs anyway', () => {
    const { spec } = podOf(end);
    expect(spec.topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
    for (const each of spec.topologySpreadConstraints) {
      expect(each).toMatchObject({ whenUnsatisfiable: 'ScheduleAnyway', matchLabelKeys: ['pod-template-hash'] });
    }
  });

  it('may write nowhere but to a small /tmp', () => {
    const { spec } = podOf(end);
    expect(spec.containers[0].securityContext.readOnlyRootFilesystem).toBe(true);
    const writable = spec.containers[0].volumeMounts.filter(({ readOnly }) => readOnly !== true);
    expect(writable).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
    expect(spec.volumes).toContainEqual({ name: 'tmp', emptyDir: { sizeLimit: '16Mi' } });
  });

  it('is replaced one by one, the new before the old', () => {
    expect(deployment(end).spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: '25%' });
  });

  it('is replaced when its settings change, and only then', () => {
    const sum = (values) => podOf(end, values).metadata.annotations['checksum/config'];
    expect(
      sum(
        end === '-worker-reference'
          ? { workerDefaults: { config: { toolWorker: { extraTools: 1 } } } }
          : { logLevel: 'debug' },
      ),
    ).not.toBe(sum({}));
    expect(sum({ ingress: { className: 'other' } })).toBe(sum({}));
  });

  it('takes what the operator adds', () => {
    const added = {
      podAnnotations: { a: 'b' },
      podLabels: { c: 'd' },
      priorityClassName: 'high',
      nodeSelector: { e: 'f' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      topologySpreadConstraints: [{ topologyKey: 'rack', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' }],
      extraEnv: [{ name: 'A', value: 'b' }],
      extraEnvFrom: [{ configMapRef: { name: 'c' } }],
      extraVolumes: [{ name: 'x', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'x', mountPath: '/x' }],
      serviceAccount: { create: false, name: 'mine' },
    };
    const { metadata, spec } = podOf(end, withComponent(end, added));
    expect(metadata.annotations).toMatchObject({ a: 'b' });
    expect(metadata.labels).toMatchObject({ c: 'd' });
    const { priorityClassName, nodeSelector, tolerations, affinity, topologySpreadConstraints } = added;
    expect(spec).toMatchObject({
      priorityClassName,
      nodeSelector,
      tolerations,
      affinity,
      topologySpreadConstraints,
      serviceAccountName: 'mine',
    });
    expect(spec.volumes).toContainEqual(added.extraVolumes[0]);
    const [container] = spec.containers;
    expect(container.env).toContainEqual(added.extraEnv[0]);
    expect(container.envFrom).toEqual(added.extraEnvFrom);
    expect(container.volumeMounts).toContainEqual(added.extraVolumeMounts[0]);
    expect(has(render({ values: withComponent(end, added) }), 'ServiceAccount', end)).toBe(false);
  });
});

describe('user and group ids', () => {
  const idsOf = (options) =>
    podsOf(render(options)).map(({ spec }) => [spec.securityContext.runAsUser, spec.securityContext.fsGroup]);

  it('are those of the images where nobody chooses them', () => {
    expect(new Set(idsOf({}).map(String))).toEqual(new Set([',65532', '999,999']));
  });

  it.each([
    ['OpenShift is named', { values: { openshift: 'on' } }],
    ['the cluster is an OpenShift', { apis: ['security.openshift.io/v1'] }],
  ])('are left to OpenShift when %s', (_name, options) => {
    expect(new Set(idsOf(options).map(String))).toEqual(new Set([',']));
  });

  it('are ours on an OpenShift that is told not to be one', () => {
    expect(idsOf({ values: { openshift: 'off' }, apis: ['security.openshift.io/v1'] })[0]).toEqual([undefined, 65532]);
  });
});

describe('what routers follow', () => {
  const volumesOf = (values) => podOf('-router', values).spec.volumes;

  it("is the keyset as a folder that is nobody else's, and its changes restart nothing", () => {
    const keyset = { name: 'keyset', secret: { secretName: 'rh-roundhouse-keyset', defaultMode: 0o440 } };
    expect(volumesOf({})).toContainEqual(keyset);
    const { volumeMounts } = containerOf('-router');
    expect(volumeMounts).toContainEqual({ name: 'keyset', mountPath: '/etc/roundhouse/keyset', readOnly: true });
    expect(volumeMounts.filter(({ subPath }) => subPath !== undefined)).toEqual([]);
    expect(Object.keys(podOf('-router').metadata.annotations)).toEqual(['checksum/config']);
  });

  it('is the policy as a folder, whose changes restart nothing', () => {
    const one = podOf('-router', { policy: { unmatched: 'deny' } });
    const other = podOf('-router', { policy: { unmatched: 'allow' } });
    expect(one.spec.volumes).toContainEqual({ name: 'policy', configMap: { name: 'rh-roundhouse-policy' } });
    expect(other.metadata.annotations).toEqual(one.metadata.annotations);
  });

  it('stays with routers: no other pod sees the keyset', () => {
    const holders = podsOf(render({ files: EVERYTHING })).filter(({ spec }) =>
      JSON.stringify(spec.volumes ?? []).includes('"secretName":"rh-roundhouse-keyset"'),
    );
    expect(holders.map(({ name }) => name)).toEqual(['Deployment rh-roundhouse-router']);
  });
});

it('Secrets of the router become files, each in a folder of its own', () => {
  const { spec } = podOf('-router', { router: { secrets: ['one', 'two'] } });
  const paths = spec.containers[0].volumeMounts.map(({ mountPath }) => mountPath);
  expect(paths).toEqual(expect.arrayContaining(['/etc/roundhouse/secrets/one', '/etc/roundhouse/secrets/two']));
});

it('only the replay service is told where Redis is', () => {
  const objects = render({ values: { redis: { bundled: { enabled: false }, url: 'redis://where-redis-is:6379' } } });
  const told = objects.filter((object) => JSON.stringify(object).includes('where-redis-is'));
  expect(told.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['ConfigMap rh-roundhouse-replay']);
});

it('the address of Redis comes as a file, and its authority as one that Node trusts', () => {
  const { spec } = find(render({ files: VALUES_FILES['external-redis-tls'] }), 'Deployment', '-replay').spec.template;
  expect(spec.volumes).toContainEqual({ name: 'redis', secret: { secretName: 'redis-address', defaultMode: 0o440 } });
  expect(spec.containers[0].env).toContainEqual({
    name: 'NODE_EXTRA_CA_CERTS',
    value: '/etc/roundhouse/redis-ca/ca.crt',
  });
});

describe('certificates of the rpc', () => {
  const ISSUER = { rpcTls: { enabled: true, issuer: { name: 'internal', kind: 'ClusterIssuer' } } };

  it('are not there unless they are switched on', () => {
    expect(has(render(), 'Certificate')).toBe(false);
    expect(JSON.stringify(render())).not.toContain('rpc-tls');
  });

  it.each(OWN)('are made for %s by the issuer, and mounted as a folder', (end) => {
    const { spec } = find(render({ values: ISSUER }), 'Certificate', end);
    expect(spec).toMatchObject({
      secretName: `rh-roundhouse${end}-rpc`,
      dnsNames: [`rh-roundhouse${end}.default.svc`],
      issuerRef: { kind: 'ClusterIssuer', name: 'internal' },
      usages: expect.arrayContaining(['server auth', 'client auth']),
    });
    const pod = podOf(end, ISSUER).spec;
    expect(pod.volumes).toContainEqual({
      name: 'rpc-tls',
      secret: { secretName: spec.secretName, defaultMode: 0o440 },
    });
    expect(pod.containers[0].volumeMounts).toContainEqual({
      name: 'rpc-tls',
      mountPath: '/etc/roundhouse/tls',
      readOnly: true,
    });
  });

  it('come from the operator where a Secret is named', () => {
    const own = { rpcTlsSecret: 'mine' };
    const objects = render({ values: { rpcTls: { enabled: true }, router: own, replay: own, workerDefaults: own } });
    expect(has(objects, 'Certificate')).toBe(false);
    const [volume] = find(objects, 'Deployment', '-router').spec.template.spec.volumes.filter(
      ({ name }) => name === 'rpc-tls',
    );
    expect(volume.secret.secretName).toBe('mine');
  });
});
