// The keyset: made once, never overwritten, never random in a template, rotated on a schedule.
import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { render, renderText, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { containersOf, find, has } from '../../../tools/chart/rendered.mjs';
import { parseCommand } from '../../../apps/keys/src/command-line.js';

const K = createHash('sha512').update('a test').digest().subarray(0, 32).toString('base64url');
const INLINE = JSON.stringify({
  version: 1,
  keys: [{ kid: '9f86d081884c7d65', alg: 'XAES-256-GCM', k: K, status: 'enabled' }],
});
const makeJob = (values) => find(render({ values }), 'Job', '-keyset-make');
const rotation = (values = {}) =>
  find(render({ values: { keyset: { rotation: { enabled: true }, ...values } } }), 'CronJob', '-keyset-rotate');
const argsOf = (template) => containersOf(template).map(({ args }) => args);
/** Without the script that node runs. */
const commandsOf = (template) => argsOf(template).map(([, ...args]) => parseCommand(args));

describe('the job that makes the keyset', () => {
  it('runs before anything of the release, and before each upgrade', () => {
    const { annotations } = makeJob().metadata;
    expect(annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(annotations['helm.sh/hook-delete-policy']).toBe('before-hook-creation,hook-succeeded');
  });

  it('finds its account and its rights there already', () => {
    const weight = ({ metadata }) => Number(metadata.annotations['helm.sh/hook-weight']);
    for (const kind of ['ServiceAccount', 'Role', 'RoleBinding']) {
      const needed = find(render(), kind, '-keyset-make');
      expect(needed.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
      expect(weight(needed)).toBeLessThan(weight(makeJob()));
    }
  });

  it('leaves a keyset as it is', () => {
    expect(commandsOf(makeJob().spec.template)).toEqual([
      expect.objectContaining({
        name: 'add',
        create: true,
        ifAbsent: true,
        home: { secret: 'rh-roundhouse-keyset', key: 'keyset.json' },
      }),
    ]);
  });

  it('may create Secrets, and neither read nor change one', () => {
    expect(find(render(), 'Role', '-keyset-make').rules).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    ]);
  });

  it.each([
    ['the operator names a Secret', { existingSecret: 'mine' }],
    ['the values hold the keyset', { inline: INLINE }],
  ])('is not there when %s', (_name, keyset) => {
    const objects = render({ values: { keyset } });
    for (const kind of ['Job', 'Role', 'RoleBinding']) expect(has(objects, kind, '-keyset-make')).toBe(false);
  });
});

describe('a keyset in the values', () => {
  const objects = () => render({ values: { keyset: { inline: INLINE } } });

  it('becomes a Secret that outlives the release', () => {
    const { metadata, data, immutable } = find(objects(), 'Secret', '-keyset');
    expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    expect(Buffer.from(data['keyset.json'], 'base64').toString()).toBe(INLINE);
    expect(immutable).toBeUndefined();
  });

  it('stands nowhere else', () => {
    const text = renderText({ values: { keyset: { inline: INLINE } } });
    expect(text).not.toContain(K);
    expect(text.split(Buffer.from(INLINE).toString('base64'))).toHaveLength(2);
  });
});

it('no Secret is rendered unless the values hold one', () => {
  for (const files of Object.values(VALUES_FILES)) expect(has(render({ files }), 'Secret')).toBe(false);
});

it('a Secret of the operator is mounted under its own key', () => {
  const objects = render({ values: { keyset: { existingSecret: 'mine', key: 'keys.json' } } });
  expect(find(objects, 'ConfigMap', '-router').data['roundhouse.yaml']).toContain('/etc/roundhouse/keyset/keys.json');
  expect(JSON.stringify(find(objects, 'Deployment', '-router').spec)).toContain('"secretName":"mine"');
});

describe('the rotation', () => {
  it('is off unless it is switched on', () => {
    expect(has(render(), 'CronJob')).toBe(false);
  });

  it('removes keys that are spent, then adds one unless a router lacks a key', () => {
    const home = { secret: 'rh-roundhouse-keyset', key: 'keyset.json' };
    expect(commandsOf(rotation().spec.jobTemplate.spec.template)).toEqual([
      expect.objectContaining({ name: 'prune', home }),
      expect.objectContaining({
        name: 'add',
        home,
        create: false,
        stateLifeMs: 600_000,
        routersDns: 'rh-roundhouse-router-pods.default.svc.cluster.local:9090',
        allowUnreachable: false,
      }),
    ]);
  });

  it('never runs twice at once, and asks again no sooner than its schedule says', () => {
    const { spec } = rotation();
    expect(spec).toMatchObject({ concurrencyPolicy: 'Forbid', schedule: '17 3 * * *' });
    expect(spec.jobTemplate.spec.backoffLimit).toBe(0);
  });

  it('may read and change the one Secret', () => {
    const objects = render({ values: { keyset: { existingSecret: 'mine', rotation: { enabled: true } } } });
    expect(find(objects, 'Role', '-keyset-rotate').rules).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'update'], resourceNames: ['mine'] },
    ]);
  });

  it("keeps to a schedule and a life of states of the operator's choice", () => {
    const { spec } = rotation({ rotation: { enabled: true, schedule: '1 2 * * *', stateLife: '20m' } });
    expect(spec.schedule).toBe('1 2 * * *');
    expect(commandsOf(spec.jobTemplate.spec.template)[1]).toMatchObject({ stateLifeMs: 1_200_000 });
  });
});
