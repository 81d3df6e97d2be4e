// Whatever values are given: what is rendered is valid, the same each time, and restricted.
import { describe, expect, it } from '@jest/globals';
import { parseDocument } from 'yaml';
import { readFileSync } from 'node:fs';
import * as helm from '../../../tools/chart/helm.mjs';
import { problemsOfObject } from '../../../tools/chart/kubernetes-schemas.mjs';
import { problemsOfPod } from '../../../tools/chart/pod-security.mjs';
import { find, podsOf } from '../../../tools/chart/rendered.mjs';

const { HELMS, KUBERNETES, OPERATORS, VALUES_FILES } = helm;
const EXAMPLES = Object.entries(VALUES_FILES);

describe.each(EXAMPLES)('the values of %s', (_name, files) => {
  it.each(HELMS)('pass lint --strict of %s', (version) => {
    const { passed, output } = helm.lint({ files, helm: version });
    expect({ passed, output }).toEqual({ passed: true, output });
  });

  it.each(HELMS)('render the same bytes twice with %s', (version) => {
    const first = helm.renderText({ files, helm: version });
    helm.forgetRendered();
    expect(helm.renderText({ files, helm: version })).toBe(first);
  });

  it('render the same objects with every Helm', () => {
    const [newest, oldest] = HELMS.map((version) => helm.render({ files, helm: version }));
    expect(oldest).toEqual(newest);
  });

  it.each(KUBERNETES)('make objects that Kubernetes %s knows', async (kubernetes) => {
    const objects = helm.render({ files, kubernetes, apis: OPERATORS });
    // One after the other: Jest cannot load one module twice at once.
    const problems = [];
    for (const object of objects) problems.push(...(await problemsOfObject(object, kubernetes)));
    expect(problems).toEqual([]);
    expect(objects.length).toBeGreaterThan(20);
  });

  it('make pods that a namespace of level restricted admits', () => {
    const pods = podsOf(helm.render({ files }));
    expect(pods.flatMap(({ spec }) => problemsOfPod(spec))).toEqual([]);
    expect(pods.length).toBeGreaterThan(3);
  });

  it('make no two objects of one name', () => {
    const names = helm.render({ files, apis: OPERATORS }).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('make objects that all stand in the namespace of the release', () => {
    const objects = helm.render({ files, args: ['--namespace', 'elsewhere'] });
    const own = objects.filter(({ metadata }) => !metadata.name.endsWith('-extra'));
    expect(own.filter(({ metadata }) => metadata.namespace !== 'elsewhere')).toEqual([]);
  });
});

describe('the checks themselves', () => {
  const router = () => structuredClone(find(helm.render(), 'Deployment', '-router'));

  it.each([
    ['a key that is unknown', (object) => (object.spec.template.spec.containers[0].imge = 'x')],
    ['text where a number belongs', (object) => (object.spec.minReadySeconds = 'soon')],
    ['a selector that is missing', (object) => delete object.spec.selector],
  ])('find %s', async (_name, spoil) => {
    const object = router();
    spoil(object);
    expect(await problemsOfObject(object, KUBERNETES[1])).not.toEqual([]);
  });

  it('find a key of an operator that has the wrong type', async () => {
    const object = {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: {},
      spec: { rules: 'all' },
    };
    expect(await problemsOfObject(object, KUBERNETES[1])).not.toEqual([]);
  });

  it('do not know a type that the oldest Kubernetes does not have', async () => {
    await expect(problemsOfObject({ apiVersion: 'v9', kind: 'Pod' }, KUBERNETES[0])).rejects.toThrow('no such file');
  });

  const CONTAINER = (spec) => spec.containers[0].securityContext;
  it.each([
    ['a pod that may run as root', (spec) => delete spec.securityContext.runAsNonRoot],
    ['a pod that runs as root', (spec) => (spec.securityContext.runAsUser = 0)],
    ['a container that runs as root', (spec) => (CONTAINER(spec).runAsUser = 0)],
    ['no seccomp profile', (spec) => delete spec.securityContext.seccompProfile],
    ['privilege escalation', (spec) => delete CONTAINER(spec).allowPrivilegeEscalation],
    ['capabilities that are kept', (spec) => (CONTAINER(spec).capabilities.drop = ['NET_RAW'])],
    ['a capability that is added', (spec) => (CONTAINER(spec).capabilities.add = ['SYS_TIME'])],
    ['a privileged container', (spec) => (CONTAINER(spec).privileged = true)],
    ['the network of the host', (spec) => (spec.hostNetwork = true)],
    ['a folder of the host', (spec) => spec.volumes.push({ name: 'host', hostPath: { path: '/' } })],
    ['a port of the host', (spec) => (spec.containers[0].ports[0].hostPort = 80)],
    ['a container that starts first and is not restricted', (spec) => (spec.initContainers = [{ name: 'first' }])],
  ])('refuse %s', (_name, spoil) => {
    const { spec } = router().spec.template;
    spoil(spec);
    expect(problemsOfPod(spec)).not.toEqual([]);
  });
});

it('the chart claims the oldest Kubernetes that it is checked for', () => {
  const chart = parseDocument(readFileSync(`${helm.CHART}/Chart.yaml`, 'utf8')).toJS();
  expect(chart.kubeVersion).toBe(`>=${KUBERNETES[0]}-0`);
  expect(helm.refusal({ kubernetes: '1.29.9' })).toContain('1.29.9');
});
