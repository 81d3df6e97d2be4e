// Names and labels, whatever the release is called.
import { describe, expect, it } from '@jest/globals';
import { OPERATORS, render, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { podsOf, selects } from '../../../tools/chart/rendered.mjs';

const EVERYTHING = VALUES_FILES['everything-on'];
const LONG = `r${'elease'.repeat(9)}`.slice(0, 53);
const CASES = [
  ['a release of 53 characters', { release: LONG }],
  ['a release that would end in a hyphen where it is cut', { release: `${'ab-'.repeat(17)}ab` }],
  ['a release with a dot', { release: 'team.one' }],
  ['a release that begins with a digit', { release: '1st' }],
  ['a full name of 63 characters', { values: { fullnameOverride: 'f'.repeat(63) } }],
  ['a name of 63 characters', { values: { nameOverride: 'n'.repeat(63) }, release: LONG }],
  [
    'a worker with the longest id',
    { values: { workers: { [`w${'x'.repeat(31)}`]: { image: { repository: 'w' } } } }, release: LONG },
  ],
];
/** A Service is the strictest of all: RFC 1035. */
const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
/** What Kubernetes appends to the names of these. */
const NAME_MAX = { StatefulSet: 52, CronJob: 52 };

describe.each(CASES)('with %s', (_name, options) => {
  const objects = () => render({ files: EVERYTHING, apis: OPERATORS, ...options });
  const own = () => objects().filter(({ metadata }) => !metadata.name.endsWith('-extra'));

  it('names are valid and short enough', () => {
    const wrong = own().filter(
      ({ kind, metadata: { name } }) => !LABEL.test(name) || name.length > (NAME_MAX[kind] ?? 63),
    );
    expect(wrong.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
  });

  it('no two objects have one name', () => {
    const names = own().map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('values of labels are valid and short enough', () => {
    const labels = [...own(), ...podsOf(own())].flatMap(({ metadata }) => Object.entries(metadata.labels ?? {}));
    expect(labels.filter(([, value]) => value.length > 63 || !LABEL_VALUE.test(value))).toEqual([]);
  });

  it('every Service and every workload selects the pods that it means', () => {
    const pods = podsOf(own());
    const selectors = own().flatMap(({ kind, spec }) => {
      if (kind === 'Service') return [spec.selector];
      return spec?.selector?.matchLabels === undefined || kind.endsWith('Monitor') ? [] : [spec.selector.matchLabels];
    });
    expect(selectors.filter((selector) => !pods.some((pod) => selects(selector, pod.metadata.labels)))).toEqual([]);
  });
});

it('releases whose long names begin alike have different names in one namespace', () => {
  const namesOf = (release) => render({ release }).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const other = new Set(namesOf(`${LONG.slice(0, 52)}2`));
  expect(namesOf(LONG).filter((name) => other.has(name))).toEqual([]);
});

it('selectors stay what they were: a Deployment cannot change its own', () => {
  const selectors = render({ files: EVERYTHING }).flatMap(({ kind, metadata, spec }) =>
    ['Deployment', 'StatefulSet', 'PodDisruptionBudget'].includes(kind)
      ? [[`${kind} ${metadata.name}`, spec.selector.matchLabels]]
      : [],
  );
  const pod = (component, worker) => ({
    'app.kubernetes.io/name': 'roundhouse',
    'app.kubernetes.io/instance': 'rh',
    'app.kubernetes.io/component': component,
    ...(worker !== undefined && { 'roundhouse/worker': worker }),
  });
  expect(Object.fromEntries(selectors)).toEqual({
    'Deployment rh-roundhouse-router': pod('router'),
    'Deployment rh-roundhouse-replay': pod('replay'),
    'Deployment rh-roundhouse-worker-billing': pod('mcp-worker', 'billing'),
    'Deployment rh-roundhouse-worker-reference': pod('mcp-worker', 'reference'),
    'StatefulSet rh-roundhouse-redis': pod('redis'),
    'PodDisruptionBudget rh-roundhouse-router': pod('router'),
    'PodDisruptionBudget rh-roundhouse-replay': pod('replay'),
    'PodDisruptionBudget rh-roundhouse-worker-billing': pod('mcp-worker', 'billing'),
    'PodDisruptionBudget rh-roundhouse-worker-reference': pod('mcp-worker', 'reference'),
  });
});

it('every object has the standard labels and those of the operator', () => {
  const KEYS = ['name', 'instance', 'component', 'part-of', 'managed-by', 'version'].map(
    (key) => `app.kubernetes.io/${key}`,
  );
  const objects = render({ files: EVERYTHING, apis: OPERATORS }).filter(
    ({ metadata }) => !metadata.name.endsWith('-extra'),
  );
  for (const { metadata } of objects) {
    expect(Object.keys(metadata.labels)).toEqual(expect.arrayContaining([...KEYS, 'helm.sh/chart', 'team']));
  }
});

describe('images', () => {
  const image = (values, end = 'router') =>
    podsOf(render({ values })).find(({ name }) => name.endsWith(end)).spec.containers[0].image;

  it('have the version of the chart unless told otherwise', () => {
    expect(image({})).toBe('roundhouse/router:0.1.0');
    expect(image({ image: { tag: 5 } })).toBe('roundhouse/router:5');
    expect(image({ image: { tag: 'a' }, router: { image: { tag: 'b' } } })).toBe('roundhouse/router:b');
  });

  it('are named by their digest where there is one', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(image({ router: { image: { digest, tag: 'b' } } })).toBe(`roundhouse/router@${digest}`);
  });

  it('come from the registry of the chart, and from that of the chart above it', () => {
    expect(image({ image: { registry: 'r.example.com' } })).toBe('r.example.com/roundhouse/router:0.1.0');
    expect(image({ global: { imageRegistry: 'g.example.com' } })).toBe('g.example.com/roundhouse/router:0.1.0');
    expect(image({ global: { imageRegistry: 'g:5000' }, image: { registry: 'r.io' } })).toBe(
      'r.io/roundhouse/router:0.1.0',
    );
  });

  it('of others stay where they are', () => {
    expect(image({ image: { registry: 'r.example.com', tag: 'x' } }, 'redis')).toBe(
      'docker.io/valkey/valkey:8.1-alpine',
    );
  });
});
