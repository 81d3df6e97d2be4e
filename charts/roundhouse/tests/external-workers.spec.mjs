// Workers that somebody else runs: routers find and may reach them, and the chart makes nothing for them.
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { policyConfig, routerConfig } from '../../../apps/router/src/config.js';
import { KUBERNETES, refusal, render } from '../../../tools/chart/helm.mjs';
import { problemsOfObject } from '../../../tools/chart/kubernetes-schemas.mjs';
import { find } from '../../../tools/chart/rendered.mjs';

const LABELS = 'app.kubernetes.io/component=mcp-worker,team in (billing)';
const routerOf = (values) =>
  routerConfig.parse(find(render({ values }), 'ConfigMap', '-router').data['roundhouse.yaml']);
const groupsOf = (externalWorkers, more = {}) => routerOf({ externalWorkers, ...more }).workers;

describe('a worker of somebody else', () => {
  it('is found by the name of its Service', () => {
    const [billing] = groupsOf({ billing: { service: 'billing', prefix: 'b_' } });
    expect(billing).toMatchObject({ id: 'billing', prefix: 'b_', kubernetes: { service: 'billing', portName: 'rpc' } });
  });

  it('is found by the labels of Services, and its port by what it speaks', () => {
    const [billing] = groupsOf({ billing: { selector: LABELS, appProtocol: 'roundhouse.dev/rpc' } });
    expect(billing.kubernetes).toEqual({ selector: LABELS, portName: 'rpc', appProtocol: 'roundhouse.dev/rpc' });
  });

  it('takes its place in the order of all', () => {
    const groups = groupsOf({
      late: { service: 'a', order: 500 },
      early: { service: 'b', order: 1 },
      s: { service: 'c' },
    });
    expect(groups.map(({ id }) => id)).toEqual(['early', 'reference', 's', 'late']);
  });

  it('is enough, where the release runs none', () => {
    const workers = { reference: { enabled: false } };
    expect(groupsOf({ billing: { service: 'billing' } }, { workers }).map(({ id }) => id)).toEqual(['billing']);
  });

  it('has to show a certificate that is made out to its name', () => {
    const tls = { rpcTls: { enabled: true, issuer: { name: 'a' } } };
    const [billing] = groupsOf({ billing: { service: 'billing', serverName: 'billing.mcp.svc' } }, tls);
    expect(billing.serverName).toBe('billing.mcp.svc');
  });

  it('is protected by the scopes that the values name', () => {
    const values = { externalWorkers: { billing: { service: 'a', prefix: 'b_', scopes: ['billing'] } } };
    const text = find(render({ values }), 'ConfigMap', '-policy').data['policy.yaml'];
    expect(policyConfig.parse(text).rules).toMatchObject([{ tools: ['b_*'], prompts: ['b_*'], scopes: ['billing'] }]);
    expect(parse(text).policy.rules).toHaveLength(1);
  });

  it('can be reached at its port by routers, and by nobody else of the release', async () => {
    const podLabels = { app: 'billing' };
    const objects = render({ values: { externalWorkers: { billing: { service: 'a', port: 4700, podLabels } } } });
    const rule = { ports: [{ port: 4700 }], to: [{ podSelector: { matchLabels: podLabels } }] };
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    const holders = policies.filter(({ spec }) => JSON.stringify(spec.egress ?? []).includes('4700'));
    expect(holders.map(({ metadata }) => metadata.name)).toEqual(['rh-roundhouse-router']);
    expect(holders[0].spec.egress).toContainEqual(rule);
    for (const kubernetes of KUBERNETES) expect(await problemsOfObject(holders[0], kubernetes)).toEqual([]);
  });

  it('gets no object of its own', () => {
    const named = (values) => render({ values }).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(named({ externalWorkers: { billing: { service: 'billing' } } })).toEqual(named({}));
  });

  it.each([['agentgateway.dev/mcp'], ['agentgateway.dev/mcp-sse'], ['kgateway.dev/mcp']])(
    'is not one when its port speaks %s',
    (appProtocol) => {
      expect(refusal({ values: { externalWorkers: { a: { service: 'b', appProtocol } } } })).toContain('appProtocol');
    },
  );

  it.each([['a=b&watch=true'], ['a=b#c'], ['a="b"']])('cannot be looked for by %s', (selector) => {
    expect(refusal({ values: { externalWorkers: { a: { selector } } } })).toContain('selector');
  });
});

it('every port that speaks the rpc of this release says so', () => {
  const services = render().filter(({ kind }) => kind === 'Service');
  const spoken = services.flatMap(({ metadata, spec }) =>
    spec.ports
      .filter(({ appProtocol }) => appProtocol === 'roundhouse.dev/rpc')
      .map(({ port }) => [metadata.name, port]),
  );
  expect(spoken).toEqual(
    expect.arrayContaining([
      ['rh-roundhouse-router-pods', 4300],
      ['rh-roundhouse-replay', 4200],
      ['rh-roundhouse-worker-reference', 4100],
    ]),
  );
  expect(spoken).toHaveLength(3);
});
