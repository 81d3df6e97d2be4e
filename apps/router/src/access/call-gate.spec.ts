import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestIssuer } from '@roundhouse/testing';
import type { RouterConfig } from '../config.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest, type Answer, type RawRequest } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const RESOURCE = 'http://127.0.0.1:3000/mcp';
const DESTRUCTIVE = { annotations: { destructiveHint: true } };
const POLICY = `
policy:
  implies:
    - scope: tools:admin
      includes: ['notes:*']
  rules:
    - name: notes
      tools: [notes_*]
      scopes: [notes:read]
    - name: deleting
      tools: [notes_delete]
      scopes: [notes:write]
      grantsDestructive: true
    - name: small
      tools: [pay]
      when: args.amount <= 100
    - name: acme
      tools: [acme_*]
      prompts: ['*']
      when: principal.subject.startsWith("acme-")
    - name: secret
      resources: ['docs://secret/*']
      scopes: [docs:secret]
`;

let folder: string;
let path: string;
let issuer: TestIssuer;
let worker: ScriptedWorker;
let router: RouterUnderTest;

beforeAll(async () => {
  issuer = await TestIssuer.start({ audience: RESOURCE });
  folder = mkdtempSync(join(tmpdir(), 'policy-'));
  path = join(folder, 'policy.yaml');
});
afterAll(async () => {
  await issuer.stop();
  rmSync(folder, { recursive: true });
});

function replace(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

const entry = (name: string): { name: string; json: string } => ({
  name,
  json: JSON.stringify(name.includes(':') ? { uri: name, uriTemplate: name, name } : { name }),
});

async function start(policy: Partial<RouterConfig['policy']>): Promise<void> {
  const confirmed = { script: ({ answers }: { answers?: unknown }) => (answers ? completes('done') : ask()) };
  worker = new ScriptedWorker(
    {
      echo: { script: () => completes('served') },
      notes_list: { script: () => completes('listed') },
      notes_delete: { definition: DESTRUCTIVE, entry: { singleUse: true, requiredScopes: ['worker:x'] }, ...confirmed },
      wipe: { definition: DESTRUCTIVE, script: () => completes('wiped') },
      pay: { script: () => completes('paid') },
      acme_only: { script: () => completes('acme') },
    },
    {
      other: {
        prompts: [entry('brief')],
        resources: [entry('docs://open'), entry('docs://secret/plan')],
        resourceTemplates: [entry('docs://{name}/{part}')],
      },
    },
  );
  const issuers = [
    { issuer: issuer.url, algorithms: ['ES256' as const], requireAtJwt: true, scopeClaim: 'scope', claims: [] },
  ].map((one) => ({ ...one, clientIdClaim: 'client_id' }));
  router = await RouterUnderTest.start([worker], (config) => ({
    ...config,
    development: { ...config.development, allowLoopbackIssuers: true },
    auth: { ...config.auth, mode: 'oauth', issuers, requiredScopes: ['mcp'], scopesSupported: ['mcp'] },
    policy: { ...config.policy, ...policy },
  }));
}

const ask = (): ReturnType<typeof asks> => asks({ confirm: confirmAsk() });

async function as(scope: string, sub = 'alice'): Promise<RawRequest['headers']> {
  return { authorization: `Bearer ${await issuer.sign({ claims: { sub, scope: `mcp ${scope}` } })}` };
}
async function call(name: string, headers: RawRequest['headers'], args: unknown = {}, retry = {}): Promise<Answer> {
  return router.tool(name, args, { headers, retry });
}
async function names(headers: RawRequest['headers']): Promise<string[]> {
  const answer = await router.call('tools/list', {}, { headers });
  return (answer.body.result?.['tools'] as { name: string }[]).map(({ name }) => name);
}
const scopesAsked = ({ headers }: Answer): string | undefined =>
  /scope="([^"]*)"/.exec(String(headers['www-authenticate']))?.[1];

describe('a router with a policy', () => {
  beforeAll(async () => {
    replace(POLICY);
    await start({ file: path });
  });
  afterAll(() => router.stop());

  it('serves whoever has the scopes, by name or by hierarchy', async () => {
    expect((await call('notes_list', await as('notes:read'))).status).toBe(200);
    expect((await call('notes_list', await as('tools:admin'))).status).toBe(200);
  });

  it('names all scopes of the operation at once when one is missing, and forwards nothing', async () => {
    const before = worker.calls.length;
    const answer = await call('notes_delete', await as('notes:read'));
    expect([answer.status, answer.body.error?.code, scopesAsked(answer)]).toEqual([
      403,
      -32600,
      'mcp worker:x notes:read notes:write',
    ]);
    expect(worker.calls.length).toBe(before);
  });

  it.each([
    ['a tool that destroys and that nobody granted', 'wipe', {}],
    ['arguments that do not meet a condition', 'pay', { amount: 101 }],
    ['arguments that a condition cannot be asked of', 'pay', { amount: 'x' }],
    ['arguments too large for a condition', 'pay', { amount: 1, filler: 'x'.repeat(40_000) }],
    ['somebody else', 'acme_only', {}],
  ])('refuses %s, without telling of any scope', async (_what, name, args) => {
    const before = worker.calls.length;
    const answer = await call(name, await as('notes:read notes:write tools:admin'), args);
    expect([answer.status, answer.text, answer.headers['www-authenticate']]).toEqual([
      403,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Policy does not permit this"}}',
      undefined,
    ]);
    expect(worker.calls.length).toBe(before);
  });

  it('serves arguments that meet the condition', async () => {
    expect((await call('pay', await as(''), { amount: 100 })).status).toBe(200);
  });

  it('still says unknown of what nobody serves', async () => {
    expect((await call('notes_absent', await as(''))).body.error?.code).toBe(-32602);
  });

  it('asks again in each round, and before a stored result is given out', async () => {
    const full = 'notes:read notes:write worker:x';
    const state = (await call('notes_delete', await as(full))).body.result?.requestState;
    const answered = { requestState: state, inputResponses: { confirm: accept({ ok: true }) } };
    const runs = worker.calls.length;
    expect((await call('notes_delete', await as('notes:read worker:x'), {}, answered)).status).toBe(403);
    expect(worker.calls.length).toBe(runs);
    expect((await call('notes_delete', await as(full), {}, answered)).body.result).toBeDefined();
    expect((await call('notes_delete', await as(full), {}, answered)).body.result).toBeDefined();
    expect((await call('notes_delete', await as('notes:write worker:x'), {}, answered)).status).toBe(403);
    expect(worker.calls.length).toBe(runs + 1);
  });

  it('does not let another use the state, whatever their scopes', async () => {
    const full = 'notes:read notes:write worker:x';
    const state = (await call('notes_delete', await as(full))).body.result?.requestState;
    const answered = { requestState: state, inputResponses: { confirm: accept({ ok: true }) } };
    expect((await call('notes_delete', await as(full, 'bob'), {}, answered)).body.error?.code).toBe(-32602);
  });

  it('lists what the caller may call, in the order of the catalogue', async () => {
    expect(await names(await as(''))).toEqual(['echo', 'pay']);
    expect(await names(await as('notes:read'))).toEqual(['echo', 'notes_list', 'pay']);
    expect(await names(await as('tools:admin worker:x', 'acme-1'))).toEqual([
      ...['echo', 'notes_list', 'notes_delete', 'pay', 'acme_only'],
    ]);
  });

  it('says that a filtered list is private', async () => {
    const answer = await router.call('tools/list', {}, { headers: await as('') });
    expect(answer.body.result).toMatchObject({ cacheScope: 'private' });
  });

  it('covers prompts, and their completion', async () => {
    const ref = { ref: { type: 'ref/prompt', name: 'brief' }, argument: { name: 'a', value: '' } };
    const headers = await as('');
    expect((await router.call('prompts/get', { name: 'brief' }, { headers })).status).toBe(403);
    expect((await router.call('completion/complete', ref, { headers })).status).toBe(403);
    expect((await router.call('prompts/list', {}, { headers })).body.result?.['prompts']).toEqual([]);
  });

  it.each(['docs://secret/plan', 'docs://secret/other'])('covers the resource %s, template or not', async (uri) => {
    const answer = await router.call('resources/read', { uri }, { headers: await as('') });
    expect([answer.status, scopesAsked(answer)]).toEqual([403, 'mcp docs:secret']);
  });
});

describe('a stream that follows resources', () => {
  const HIDDEN = POLICY.replace('docs://secret/*', 'docs://*');
  beforeAll(async () => {
    replace(POLICY);
    await start({ file: path });
  });
  afterAll(() => router.stop());

  it('is honoured and told only what its caller may read, when it is told', async () => {
    const resourceSubscriptions = ['docs://open', 'docs://secret/plan'];
    const heard: string[] = [];
    router.parts.catalogue.listen({ listChanged: () => undefined, resourceUpdated: (uri) => void heard.push(uri) });
    const update = async (uri: string): Promise<void> => {
      const before = heard.length;
      worker.changes.next({ kind: 'resource_updated', uri });
      while (heard.length === before) await new Promise((resolve) => setImmediate(resolve));
    };
    const listening = router.call(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions } },
      { headers: await as('') },
    );
    while (router.parts.streams.size === 0) await new Promise((resolve) => setImmediate(resolve));
    await update('docs://secret/plan');
    await update('docs://open');
    replace(HIDDEN);
    router.parts.policy.checkNow();
    await update('docs://open');
    router.parts.streams.endAll();
    const { messages } = await listening;
    expect(messages[0]?.params?.['notifications']).toEqual({ resourceSubscriptions: ['docs://open'] });
    const told = messages.filter(({ method }) => method === 'notifications/resources/updated');
    expect(told.map(({ params }) => params?.['uri'])).toEqual(['docs://open']);
  });
});

describe('a policy that changes while the router runs', () => {
  beforeAll(async () => {
    replace(POLICY);
    await start({ file: path });
  });
  afterAll(() => router.stop());
  const check = (): void => router.parts.policy.checkNow();

  it('holds for the next request, lists included', async () => {
    const headers = await as('notes:read');
    expect((await call('notes_list', headers)).status).toBe(200);
    replace(POLICY.replace('[notes:read]', '[notes:see]'));
    check();
    expect((await call('notes_list', headers)).status).toBe(403);
    expect(await names(headers)).toEqual(['echo', 'pay']);
    replace(POLICY);
    check();
    expect(await names(headers)).toEqual(['echo', 'notes_list', 'pay']);
  });

  it.each([
    ['text that is no YAML', 'policy: ['],
    ['an unknown key', POLICY.replace('grantsDestructive', 'grantDestructive')],
    ['a condition that does not compile', POLICY.replace('args.amount <= 100', 'args.amount <=')],
    ['a condition on nothing known', POLICY.replace('principal.subject', 'principal.subjet')],
  ])('stays as it was when the new one has %s', async (_what, text) => {
    replace(text);
    check();
    expect((await call('notes_list', await as('notes:read'))).status).toBe(200);
    expect((await call('pay', await as(''), { amount: 101 })).status).toBe(403);
    replace(POLICY);
    check();
  });

  it('drops no request that is under way', async () => {
    const headers = await as('notes:read');
    const calls = Array.from({ length: 40 }, async (_, at) => {
      if (at % 10 === 0) replace(POLICY + `# ${at}\n`);
      if (at % 10 === 0) check();
      return (await call('notes_list', headers)).status;
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  });
});

describe('a router without a policy file', () => {
  beforeAll(() => start({}));
  afterAll(() => router.stop());

  it('demands what the worker demands, and keeps what destroys closed', async () => {
    const headers = await as('worker:x notes:write');
    expect((await call('notes_list', headers)).status).toBe(200);
    expect((await call('notes_delete', headers)).status).toBe(403);
    expect(await names(headers)).not.toContain('wipe');
  });
});
