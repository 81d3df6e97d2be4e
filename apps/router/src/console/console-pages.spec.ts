import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routerConfig } from '../config.js';
import { completes } from '../testing/replies.js';
import { RouterUnderTest } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import type { ConsoleView } from './console-view.js';

const EVIL = '<img src=x onerror=alert(1)>';
const SECRET = 'SECRET-4471';

/** Names that no client may be sent are left out, and said to be: that is how they reach the page. */
const hostile = new ScriptedWorker(
  { echo: { script: () => completes('"hi"') }, [EVIL]: {}, '"><script>alert(2)</script>': {} },
  { title: `${EVIL} & Co`, hash: `</code>${EVIL}`, other: { worker: { name: EVIL, version: EVIL, title: EVIL } } },
);
const second = new ScriptedWorker({ echo: {}, other: { entry: { singleUse: true } } }, { hash: 'another-hash-of-16+' });

let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([hostile, second], (config) => ({
    ...config,
    admin: { host: '127.0.0.1', port: 0 },
  }));
});
afterAll(() => router.stop());

async function page(path = '/console'): Promise<{ html: string; headers: Headers; status: number }> {
  const response = await fetch(`http://127.0.0.1:${router.adminPort}${path}`);
  return { html: await response.text(), headers: response.headers, status: response.status };
}

async function view(): Promise<ConsoleView> {
  return JSON.parse((await page('/console.json')).html) as ConsoleView;
}

describe('the console', () => {
  it('is served on the admin port, at its root and by its name', async () => {
    for (const path of ['/', '/console']) {
      const { status, headers } = await page(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    }
  });

  it.each(['/', '/console', '/console.json'])('is not served on the MCP port: %s', async (path) => {
    const { status, text } = await router.send({ verb: 'GET', path });
    expect([status, text]).toEqual([404, '{"statusCode":404,"message":"Not Found"}']);
  });

  it('shows names from workers as text, whatever they are', async () => {
    const { html } = await page();
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toMatch(/<img|<script>alert|onerror="/);
    expect(html.match(/<script/g)).toHaveLength(1);
  });

  it('lets run and load nothing but its own style and script, which are what their hashes say', async () => {
    const { html, headers } = await page();
    const policy = headers.get('content-security-policy') ?? '';
    const hash = (tag: string): string => {
      const text = html.slice(html.indexOf(`<${tag}>`) + tag.length + 2, html.indexOf(`</${tag}>`));
      return `sha256-${createHash('sha256').update(text).digest('base64')}`;
    };
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `style-src '${hash('style')}'`,
      `script-src '${hash('script')}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(html).not.toMatch(/(src|href)="(?!#)|url\(|@import|style="|\son[a-z]+="/);
  });

  it('tells of each table what it is, and of each cell what heads it', async () => {
    const { html } = await page();
    const tables = html.match(/<table[\s\S]*?<\/table>/g) ?? [];
    expect(tables.length).toBeGreaterThanOrEqual(5);
    for (const table of tables) {
      expect(table).toMatch(/<caption/);
      expect(table).not.toMatch(/<th(?![^>]*scope=)[ >]/);
      const bodyRows = table.slice(table.indexOf('<tbody')).match(/<tr>/g) ?? [];
      expect(table.match(/scope="row"/g)).toHaveLength(bodyRows.length);
    }
  });

  it('asks for itself anew where no script runs', async () => {
    expect((await page()).html).toContain('<noscript><meta http-equiv="refresh" content="10" /></noscript>');
  });

  it('tells workers, catalogue, keys and what is left out', async () => {
    const { groups, leftOut, tools, keys, replay, notReady, flows } = await view();
    expect(groups.map(({ id, workers }) => [id, workers.map(({ state }) => state)])).toEqual([
      ['w0', ['ready']],
      ['w1', ['ready']],
    ]);
    expect(leftOut).toContainEqual({ group: 'w1', kind: 'tools', name: 'echo', why: 'another group serves this name' });
    expect(leftOut).toHaveLength(3);
    expect(tools).toEqual([
      { name: 'echo', group: 'w0', singleUse: false, destructive: false },
      { name: 'other', group: 'w1', singleUse: true, destructive: false },
    ]);
    expect(keys).toMatchObject({ outcome: 'ok', keys: [{ role: 'primary' }] });
    expect([replay, notReady, flows.opened]).toEqual(['answers', undefined, 0]);
  });

  it('counts what comes, and keeps why it was refused, but not who was or what they sent', async () => {
    const before = (await view()).refusals.length;
    await router.tool('echo', { pin: SECRET }, { principal: SECRET });
    await router.tool(SECRET, { pin: SECRET }, { principal: SECRET, id: SECRET });
    await router.call(SECRET, {}, { principal: SECRET });
    await router.tool(
      'echo',
      {},
      { principal: SECRET, retry: { requestState: SECRET, inputResponses: { a: SECRET } } },
    );
    await router.send({
      body: `{"${SECRET}`,
      headers: { 'x-roundhouse-principal': SECRET, origin: `http://${SECRET}` },
    });
    const { refusals, traffic } = await view();
    expect(refusals).toHaveLength(before + 4);
    expect(refusals.slice(0, 4).map(({ code, method, name }) => [code, method, name])).toEqual([
      ['origin_refused', undefined, undefined],
      ['state_refused', 'tools/call', 'echo'],
      ['method_not_found', undefined, undefined],
      ['unknown_tool', 'tools/call', undefined],
    ]);
    const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
    expect([sum(traffic.requests) >= 5, sum(traffic.refused) >= 4, sum(traffic.failed)]).toEqual([true, true, 0]);
    for (const path of ['/console', '/console.json']) expect((await page(path)).html).not.toContain(SECRET);
  });

  it('counts no refusal when nobody is left to be refused', async () => {
    const before = (await view()).refusals.length;
    let reached = false;
    await router.abandon('other', {}, () => (reached ||= second.calls.length > 0) || true);
    expect((await view()).refusals.filter(({ reason }) => reason === 'client_gone')).toEqual([]);
    expect((await view()).refusals.length).toBeLessThanOrEqual(before + 1);
  });
});

describe('the console of a router that just started', () => {
  it('says in plain words what there is not', async () => {
    const bare = await RouterUnderTest.start([], (config) => ({ ...config, admin: { host: '127.0.0.1', port: 0 } }));
    const html = await (await fetch(`http://127.0.0.1:${bare.adminPort}/`)).text();
    const words = [
      'It takes traffic, but no worker group is configured.',
      'Nothing needs attention.',
      'No flow waits for an answer.',
      'Nothing was refused since this router started.',
      'No tool can be called.',
      'none is left out',
    ];
    for (const each of words) expect(html).toContain(each);
    await bare.stop();
  });
});

it('keeps idle connections for longer than proxies do, so that none is closed under a request', async () => {
  const bare = await RouterUnderTest.start([]);
  const response = await fetch(`http://127.0.0.1:${bare.port}/mcp`);
  expect(response.headers.get('keep-alive')).toBe('timeout=75');
  expect(routerConfig.load({ ROUNDHOUSE_AUTH_MODE: 'development' }).drain).toEqual({
    ...{ lingerMs: 0, timeoutMs: 60_000, streamsSpreadMs: 20_000 },
  });
  await bare.stop();
});
