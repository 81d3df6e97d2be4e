import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallReply, CallRequest } from '@roundhouse/contracts';
import { SpecFlow, SpecWorker, textsOf } from '@roundhouse/worker-kit/testing';
import { FileLedger } from '../../ledger/ledger.js';
import { DEPLOYMENTS_LEDGER_FILE, ReleasesModule } from './releases.module.js';
import { DeployServiceTool } from './tool.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'deploy-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const parts = () => ({ tools: [DeployServiceTool], imports: [ReleasesModule.inDirectory(directory)] });
let flows = 0;
const flowOf = (service: unknown, version: unknown, base: Partial<CallRequest> = {}) => {
  flows += 1;
  const body = JSON.stringify({ service, version });
  return new SpecFlow(parts, 'deploy_service', { body, flowId: `flow-${flows}`, ...base });
};
const accept = (content: Record<string, unknown>) => ({ action: 'accept', content });
const to = (environment: string, confirm = true) => ({ deploy: accept({ environment, confirm }) });
const decline = { deploy: { action: 'decline' } };
const cancel = { deploy: { action: 'cancel' } };
const instead = (answer: Record<string, unknown>) => ({ staging_instead: answer });
const keysOf = (reply: CallReply) => (reply.kind === 'input_required' ? Object.keys(reply.asks) : reply.kind);
const deployments = async () =>
  (await new FileLedger(join(directory, DEPLOYMENTS_LEDGER_FILE)).read()).map(
    ({ service, version, environment }) => `${service} ${version} ${environment}`,
  );

describe('deploy_service, when production would be touched', () => {
  it.each(['staging', 'production'])('deploys to %s once that is chosen and confirmed', async (environment) => {
    const flow = flowOf('timetable', '1.2');
    const asked = JSON.stringify(await flow.next());
    expect(asked).toContain('production: api: 1.0 → 1.2, schema: 7 → 8, web: 1.0 → 1.2');
    expect(textsOf(await flow.next(to(environment)))).toEqual([`timetable 1.2 was deployed to ${environment}.`]);
    expect(await deployments()).toEqual([`timetable 1.2 ${environment}`]);
  });

  it('offers staging on decline, and deploys there when that is accepted', async () => {
    const flow = flowOf('timetable', '1.1');
    await flow.next();
    expect(keysOf(await flow.next(decline))).toEqual(['staging_instead']);
    expect(textsOf(await flow.next(instead(accept({ confirm: true }))))).toEqual([
      'timetable 1.1 was deployed to staging.',
    ]);
    expect(await deployments()).toEqual(['timetable 1.1 staging']);
  });

  it.each([
    ['decline', { action: 'decline' }],
    ['cancel', { action: 'cancel' }],
    ['accept without the check mark', { action: 'accept', content: { confirm: false } }],
  ])('deploys nothing when the offer of staging gets %s, and asks no third time', async (_, answer) => {
    const flow = flowOf('timetable', '1.1');
    await flow.next();
    await flow.next(decline);
    expect(textsOf(await flow.next(instead(answer)))[0]).toContain('Nothing was deployed.');
    expect(await deployments()).toEqual([]);
  });

  it('does not offer staging where the release already runs', async () => {
    const staging = flowOf('timetable', '1.1');
    await staging.next();
    await staging.next(to('staging'));
    const flow = flowOf('timetable', '1.1');
    await flow.next();
    expect(textsOf(await flow.next(decline))).toEqual(['The deployment was declined. Nothing was deployed.']);
  });

  it('deploys nothing on cancel, and says that the question can still be answered', async () => {
    const flow = flowOf('timetable', '1.1');
    await flow.next();
    expect(textsOf(await flow.next(cancel))[0]).toMatch(/Nothing was deployed; it can still be answered/);
    expect(await deployments()).toEqual([]);
  });

  it.each([
    ['without the check mark', to('production', false), 'not confirmed'],
    ['where it already runs', to('staging'), 'already runs in staging'],
  ])('deploys nothing on accept %s', async (_, answers, said) => {
    const staging = flowOf('timetable', '1.1');
    await staging.next();
    await staging.next(to('staging'));
    const flow = flowOf('timetable', '1.1');
    await flow.next();
    expect(textsOf(await flow.next(answers))[0]).toContain(said);
    expect(await deployments()).toEqual(['timetable 1.1 staging']);
  });

  it.each([
    ['an environment that was not offered', accept({ environment: 'test', confirm: true })],
    ['no environment', accept({ confirm: true })],
    ['no content', { action: 'accept' }],
  ])('asks again on %s', async (_, answer) => {
    const flow = flowOf('timetable', '1.1');
    await flow.next();
    expect(keysOf(await flow.next({ deploy: answer }))).toEqual(['deploy']);
    expect(await deployments()).toEqual([]);
  });

  it('deploys nothing when something else was deployed there meanwhile', async () => {
    const late = flowOf('timetable', '1.1');
    await late.next();
    const quick = flowOf('timetable', '1.2');
    await quick.next();
    await quick.next(to('production'));
    expect(textsOf(await late.next(to('production')))).toEqual([
      'production has changed since the deployment was planned. Nothing was deployed.',
    ]);
    expect(await deployments()).toEqual(['timetable 1.2 production']);
  });

  it('of two that answer at once, one deploys', async () => {
    const both = [flowOf('timetable', '1.1'), flowOf('timetable', '1.2')];
    for (const flow of both) await flow.next();
    const said = await Promise.all(both.map(async (flow) => textsOf(await flow.next(to('production')))[0] ?? ''));
    expect(said.filter((text) => text.includes('was deployed to'))).toHaveLength(1);
    expect(said.filter((text) => text.includes('Nothing was deployed'))).toHaveLength(1);
  });

  it('a confirmation delivered twice is one deployment, and both deliveries hear so', async () => {
    const twice = [1, 2].map(() => flowOf('timetable', '1.1', { flowId: 'twice', idempotencyKey: 'key' }));
    for (const flow of twice) await flow.next();
    for (const flow of twice) expect(textsOf(await flow.next(to('production')))[0]).toContain('was deployed');
    expect(await deployments()).toEqual(['timetable 1.1 production']);
  });

  it('computes the change set once: a question already asked does not change', async () => {
    const flow = flowOf('departures', '3.1');
    const first = await flow.next();
    const other = flowOf('departures', '3.2');
    await other.next();
    await other.next(to('production'));
    expect(await flow.next({ deploy: { action: 'unknown' } })).toEqual(first);
  });

  it('does not ask a client without forms', async () => {
    expect(await flowOf('timetable', '1.1', { clientCapabilities: { sampling: {} } }).next()).toMatchObject({
      code: 'missing_capability',
      requiredCapabilities: { elicitation: { form: {} } },
    });
    expect(await deployments()).toEqual([]);
  });
});

describe('deploy_service, when production stays as it is', () => {
  it('goes to staging without a question, whatever the client can be asked', async () => {
    expect(textsOf(await flowOf('lamp-room', '1.1', { clientCapabilities: {} }).next())).toEqual([
      'lamp-room 1.1 was deployed to staging.',
    ]);
  });

  it('says that there is nothing to deploy', async () => {
    await flowOf('lamp-room', '1.1').next();
    expect(textsOf(await flowOf('lamp-room', '1.1').next())).toEqual([
      'lamp-room 1.1 already runs. Nothing to deploy.',
    ]);
    expect(await deployments()).toHaveLength(1);
  });
});

describe('deploy_service', () => {
  it.each([
    ['timetable', '9.9', 'The service has no such release.'],
    ['timetable', 'constructor', 'The service has no such release.'],
    ['__proto__', '1.1', 'There is no service of this name that you may deploy.'],
    ['signals', '4.1', 'There is no service of this name that you may deploy.'],
  ])('refuses %s %s', async (service, version, said) => {
    expect(textsOf(await flowOf(service, version).next())).toEqual([said]);
  });

  it('refuses who lost the right to deploy between two rounds', async () => {
    const user = (subject: string) => ({ principal: { kind: 'user' as const, issuer: 'development', subject } });
    const first = await flowOf('signals', '4.1', user('signaller')).next();
    const continuation = first.kind === 'input_required' ? first.continuation : '';
    const stolen = flowOf('signals', '4.1', { ...user('alice'), continuation, round: 2, answers: to('production') });
    expect(textsOf(await stolen.next())[0]).toContain('no service of this name that you may deploy');
    expect(await deployments()).toEqual([]);
  });

  it.each([
    [undefined, '1.1'],
    ['timetable', 1.1],
    ['x'.repeat(65), '1.1'],
  ])('refuses the arguments %j %j', async (service, version) => {
    expect(textsOf(await flowOf(service, version).next())[0]).toMatch(/^Invalid arguments/);
  });

  it('is declared as what it is, with everything in the process', async () => {
    const module = ReleasesModule.inDirectory(undefined);
    const worker = await SpecWorker.start({ tools: [DeployServiceTool], imports: [module] });
    expect(worker.controller.describe().tools).toMatchObject([{ name: 'deploy_service', singleUse: true }]);
  });
});
