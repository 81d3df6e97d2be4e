// Who may talk to whom, decided from the rendered policies as a network plugin would.
import { describe, expect, it } from '@jest/globals';
import { render, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { podsOf, selects } from '../../../tools/chart/rendered.mjs';

const EVERYTHING = VALUES_FILES['everything-on'];
const OUTSIDE = { labels: { app: 'stranger' }, namespace: { 'kubernetes.io/metadata.name': 'elsewhere' } };
const PROMETHEUS = { labels: { app: 'prometheus' }, namespace: { 'kubernetes.io/metadata.name': 'monitoring' } };
const GATEWAY = { labels: { app: 'envoy' }, namespace: { 'kubernetes.io/metadata.name': 'gateways' } };

function network(options) {
  const objects = render(options);
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
  const pods = podsOf(objects).map(({ metadata }) => metadata.labels);
  const pod = (component) => ({
    labels: pods.find((labels) => labels['app.kubernetes.io/component'] === component),
    namespace: { 'kubernetes.io/metadata.name': 'default' },
  });
  const of = ({ labels }) => policies.filter(({ podSelector }) => selects(podSelector.matchLabels, labels));
  const matches = (peer, { labels, namespace }) => {
    if (peer.ipBlock !== undefined) return false;
    const here = namespace['kubernetes.io/metadata.name'] === 'default';
    const inNamespace =
      peer.namespaceSelector === undefined ? here : selects(peer.namespaceSelector.matchLabels ?? {}, namespace);
    return inNamespace && selects(peer.podSelector?.matchLabels ?? {}, labels);
  };
  const allows = (rules, side, other, port) =>
    rules.some(
      (rule) =>
        (rule[side] === undefined || rule[side].some((peer) => matches(peer, other))) &&
        (rule.ports === undefined || rule.ports.some((each) => each.port === port)),
    );
  const through = (who, direction, side, other, port) => {
    const selecting = of(who);
    return selecting.length === 0 || selecting.some((policy) => allows(policy[direction] ?? [], side, other, port));
  };
  return {
    pods,
    policiesOf: (labels) => of({ labels }),
    pod,
    reaches: (from, to, port) => through(from, 'egress', 'to', to, port) && through(to, 'ingress', 'from', from, port),
  };
}

describe.each(Object.entries(VALUES_FILES))('with the values of %s', (_name, files) => {
  it('one policy selects each pod, for both directions', () => {
    const { pods, policiesOf } = network({ files });
    for (const labels of pods) {
      expect(policiesOf(labels)).toHaveLength(1);
      expect(policiesOf(labels)[0].policyTypes).toEqual(['Ingress', 'Egress']);
    }
  });
});

describe('by default', () => {
  const { pod, reaches } = network({ files: EVERYTHING });
  const names = ['router', 'replay', 'mcp-worker', 'redis', 'keyset', 'test'];
  const PORTS = { router: [3000, 4300, 9090], replay: [4200, 9090], 'mcp-worker': [4100, 9090], redis: [6379] };
  const open = names.flatMap((from) =>
    Object.entries(PORTS).flatMap(([to, ports]) =>
      ports.filter((port) => from !== to && reaches(pod(from), pod(to), port)).map((port) => `${from} → ${to}:${port}`),
    ),
  );

  it('the flows between our pods are these and no others', () => {
    expect(open).toEqual([
      'router → replay:4200',
      'router → mcp-worker:4100',
      'replay → redis:6379',
      'keyset → router:9090',
      'test → router:3000',
    ]);
  });

  it.each([
    ['router', 3000],
    ['router', 4300],
    ['router', 9090],
    ['replay', 4200],
    ['mcp-worker', 4100],
    ['redis', 6379],
  ])('a stranger does not reach %s on %d once clients are named', (to, port) => {
    expect(reaches(OUTSIDE, pod(to), port)).toBe(false);
  });

  it('routers reach each other, and not each other’s operator’s port', () => {
    expect(reaches(pod('router'), pod('router'), 4300)).toBe(true);
    expect(reaches(pod('router'), pod('router'), 9090)).toBe(false);
  });

  it('clients reach the MCP port and not the admin port', () => {
    expect(reaches(GATEWAY, pod('router'), 3000)).toBe(true);
    expect(reaches(GATEWAY, pod('router'), 9090)).toBe(false);
    expect(reaches(GATEWAY, pod('mcp-worker'), 4100)).toBe(false);
  });

  it.each(['router', 'replay', 'mcp-worker'])('monitoring reaches the admin port of %s and nothing else', (to) => {
    expect(reaches(PROMETHEUS, pod(to), 9090)).toBe(true);
    expect(PORTS[to].filter((port) => reaches(PROMETHEUS, pod(to), port))).toEqual([9090]);
  });

  it.each(names.filter((name) => name !== 'redis'))('%s finds names', (from) => {
    expect(reaches(pod(from), OUTSIDE, 53)).toBe(true);
  });

  it.each(names.filter((name) => name !== 'keyset' && name !== 'router'))('%s reaches no API server', (from) => {
    expect(reaches(pod(from), OUTSIDE, 443) || reaches(pod(from), OUTSIDE, 6443)).toBe(false);
  });
});

it('anybody reaches the MCP port, and nothing else, while no clients are named', () => {
  const { pod, reaches } = network({});
  expect(reaches(OUTSIDE, pod('router'), 3000)).toBe(true);
  expect(reaches(OUTSIDE, pod('router'), 9090)).toBe(false);
});

it('routers leave for authorization servers only in mode oauth', () => {
  const blocks = (options) =>
    render(options)
      .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name.endsWith('-router'))
      .flatMap(({ spec }) => spec.egress.flatMap(({ to = [] }) => to.filter(({ ipBlock }) => ipBlock !== undefined)));
  expect(blocks({})).toEqual([]);
  expect(blocks({ files: VALUES_FILES.production })).toHaveLength(2);
});

it("the replay service leaves for a Redis of one's own on the ports that are named", () => {
  const replay = render({ files: VALUES_FILES.sentinel }).find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name.endsWith('-replay'),
  );
  expect(replay.spec.egress.at(-1)).toEqual({
    ports: [{ port: 6379 }, { port: 26379 }],
    to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'redis' } } }],
  });
});

it('there are none where they are switched off', () => {
  const objects = render({ values: { networkPolicy: { enabled: false } } });
  expect(objects.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
});
