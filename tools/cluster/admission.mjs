// One values file against the API server: installed twice by Helm, then its hooks and every pod that its objects make are
// handed in as Helm and the controllers would. The namespace enforces the pod security level "restricted".
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CHART, HELMS, TOOLS, toObjects } from '../chart/helm.mjs';
import { podsOf } from '../chart/rendered.mjs';

export const RELEASE = 'rh';
const LEVEL = 'restricted';
/** Breaks the level in one place: were it taken, nothing would be shown by the others. */
const ROOT_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'runs-as-root' },
  spec: { containers: [{ name: 'main', image: 'example', securityContext: { runAsUser: 0 } }] },
};

export const namespaceOf = (name) => `${RELEASE}-${name}`;

/** @returns {Promise<{ objects: object[], pods: object[], problems: string[] }>} what is there afterwards, and what is wrong */
export async function admit(plane, name, files) {
  const { client } = plane;
  const namespace = namespaceOf(name);
  const problems = [];
  const expectTaken = ({ kind, metadata }, { status, body, warnings }) => {
    const what = `${name}: ${kind} ${metadata.name ?? metadata.generateName}`;
    if (status >= 300) problems.push(`${what}: ${body?.message ?? status}`);
    problems.push(...warnings.map((warning) => `${what}: ${warning}`));
    return status < 300 ? [body] : [];
  };
  for (const object of namespaceObjects(namespace)) expectTaken(object, await client.apply(object, namespace));
  const helm = helmFor(plane, namespace, files);
  for (const command of ['install', 'upgrade'])
    problems.push(...helm(command).problems.map((line) => `${name}: ${line}`));
  const objects = [...toObjects(helm('get', 'manifest').stdout), ...toObjects(helm('get', 'hooks').stdout)];
  for (const object of objects.filter(({ kind }) => kind !== 'Pod'))
    expectTaken(object, await client.apply(object, namespace));
  const pods = [];
  for (const pod of objects.flatMap(toPods)) pods.push(...expectTaken(pod, await client.create(pod, namespace)));
  if ((await client.create(ROOT_POD, namespace)).status !== 403) problems.push(`${name}: a pod of root was taken`);
  return { objects, pods, problems };
}

/** The namespace, and what controllers put into each. */
function namespaceObjects(namespace) {
  const labels = Object.fromEntries(['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, LEVEL]));
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
  ];
}

/** Hooks wait for their jobs, and here nobody runs one. */
function helmFor(plane, namespace, files) {
  const access = ['--kube-apiserver', plane.url, '--kube-token', plane.token, '--kube-ca-file', plane.caFile];
  const values = files.flatMap((file) => ['--values', file]);
  const home = (name) => join(plane.folder, 'helm', name);
  const env = {
    PATH: process.env.PATH,
    HOME: home('home'),
    HELM_CACHE_HOME: home('cache'),
    HELM_CONFIG_HOME: home('config'),
  };
  return (command, part) => {
    const args = part === undefined ? [command, RELEASE, CHART, '--no-hooks', ...values] : [command, part, RELEASE];
    const { status, stdout, stderr } = spawnSync(
      TOOLS.helms[HELMS[0]],
      [...args, '--namespace', namespace, ...access],
      { env, encoding: 'utf8', maxBuffer: 2 ** 26 },
    );
    const problems = stderr.split('\n').filter((line) => line !== '');
    if (status !== 0 && problems.length === 0) problems.push(`helm ${command} ended with ${status}`);
    return { stdout, problems };
  };
}

/** The pods that the object makes, as its controller hands them in: a StatefulSet adds volumes for its claims. */
function toPods(object) {
  const claims = (object.spec?.volumeClaimTemplates ?? []).map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: name },
  }));
  return podsOf([object]).map(({ name, metadata = {}, spec }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: `${name.split(' ')[1].slice(0, 50)}-`, labels: metadata.labels },
    spec: claims.length === 0 ? spec : { ...spec, volumes: [...(spec.volumes ?? []), ...claims] },
  }));
}
