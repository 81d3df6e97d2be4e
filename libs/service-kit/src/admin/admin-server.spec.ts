import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { AdminReply } from './admin-reply.js';
import { AdminServer } from './admin-server.js';
import { CONTROL_BODY_BYTES_MAX } from './control-body.js';

let problem: string | undefined;
let notStarted: string | undefined = 'looking for workers';
let count = 0;
let set: unknown;
let server: AdminServer;
beforeAll(async () => {
  const pages = {
    '/countz': () => ({ count: (count += 1) }),
    '/page': () => new AdminReply({ type: 'text/html', body: '<p>', headers: { 'x-own': '1' } }),
    '/late': async (accept: string | undefined) => ({ late: true, accept }),
    '/broken': () => {
      throw new Error('SECRET');
    },
  };
  const controls = { '/knob': (body: unknown) => (typeof body === 'number' ? { set: (set = body) } : undefined) };
  const parts = { readiness: () => problem, started: () => notStarted, pages, controls };
  server = await AdminServer.start({ host: '127.0.0.1', port: 0 }, parts);
});
afterAll(() => server.close());

interface Sent {
  readonly method?: string;
  readonly host?: string;
  readonly body?: string;
}

/** With a Host of its own, which fetch does not let one choose. */
async function ask(path: string, { method = 'GET', host, body }: Sent = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    const sent = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function get(path: string): Promise<{ status: number; type: unknown; text: string }> {
  const { status, headers, text } = await ask(path);
  return { status, type: headers['content-type'], text };
}

describe('the admin port', () => {
  it('is alive and ready when nothing speaks against it', async () => {
    problem = undefined;
    expect(await get('/livez')).toEqual({ status: 200, type: 'text/plain', text: 'ok\n' });
    expect(await get('/readyz')).toEqual({ status: 200, type: 'text/plain', text: 'ok\n' });
  });

  it('stays alive while it is not ready, and says why it is not', async () => {
    problem = 'no worker answered yet';
    expect(await get('/livez')).toMatchObject({ status: 200 });
    expect(await get('/readyz')).toEqual({ status: 503, type: 'text/plain', text: 'no worker answered yet\n' });
  });

  it('has started once and for all', async () => {
    expect(await get('/startupz')).toEqual({ status: 503, type: 'text/plain', text: 'looking for workers\n' });
    notStarted = undefined;
    expect(await get('/startupz')).toMatchObject({ status: 200 });
    notStarted = 'looking again';
    expect(await get('/startupz')).toMatchObject({ status: 200 });
  });

  it('shows a page as it is at each request', async () => {
    const first = await get('/countz');
    expect(first).toEqual({ status: 200, type: 'application/json', text: `{"count":${count}}\n` });
    expect((await get('/countz')).text).not.toBe(first.text);
  });

  it('shows a page of another type as it stands, and one that takes a moment', async () => {
    const { status, headers, text } = await ask('/page');
    expect({ status, text, own: headers['x-own'], type: headers['content-type'] }).toEqual({
      ...{ status: 200, text: '<p>', own: '1', type: 'text/html' },
    });
    expect(await get('/late')).toMatchObject({ status: 200, text: '{"late":true}\n' });
  });

  it('lets nothing be kept by a cache or guessed at by a browser', async () => {
    for (const path of ['/livez', '/countz', '/page', '/nowhere']) {
      expect((await ask(path)).headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('answers HEAD without a body', async () => {
    expect(await ask('/page', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it('survives a page that fails, and does not say how', async () => {
    expect(await get('/broken')).toEqual({ status: 500, type: 'text/plain', text: 'this page failed\n' });
    expect(await get('/livez')).toMatchObject({ status: 200 });
  });

  it.each(['/countz/', '/countz?a', '/__proto__', '/toString', '//', '/knob'])('knows no page %s', async (path) => {
    expect(await get(path)).toEqual({ status: 404, type: 'text/plain', text: 'not found\n' });
  });

  it.each(['POST', 'DELETE', 'PATCH', 'OPTIONS'])('takes no %s', async (method) => {
    expect(await ask('/countz', { method })).toMatchObject({ status: 405 });
    expect(await ask('/knob', { method })).toMatchObject({ status: 405 });
  });

  it('lets a control be set by whoever is on the machine', async () => {
    expect(await ask('/knob', { method: 'PUT', body: '7' })).toMatchObject({ status: 200, text: '{"set":7}\n' });
    expect(set).toBe(7);
  });

  it.each([
    ['a body that the control refuses', '"x"'],
    ['no JSON', '{'],
    ['nothing', ''],
    ['too much', `7${' '.repeat(CONTROL_BODY_BYTES_MAX)}`],
  ])('sets nothing from %s', async (_name, body) => {
    set = 'as before';
    expect(await ask('/knob', { method: 'PUT', body })).toMatchObject({ status: 400, text: 'refused\n' });
    expect(set).toBe('as before');
  });

  it('sets nothing where there is no control', async () => {
    expect(await ask('/countz', { method: 'PUT', body: '1' })).toMatchObject({ status: 405 });
    expect(await ask('/toString', { method: 'PUT', body: '1' })).toMatchObject({ status: 405 });
  });

  it.each(['evil.example', 'evil.example:8081', '127.0.0.1.evil.example', 'localhost.evil.example', 'svc.example'])(
    'is not served as %s, which a browser may have been led to',
    async (host) => {
      expect(await ask('/countz', { host })).toMatchObject({ status: 421 });
      expect(await ask('/knob', { method: 'PUT', host, body: '1' })).toMatchObject({ status: 421 });
    },
  );

  it.each(['10.1.2.3:8081', '[::1]:8081', '[fd00::7]', 'localhost:9000', 'router', 'router.mcp.svc.cluster.local:80'])(
    'is served as %s',
    async (host) => {
      expect(await ask('/livez', { host })).toMatchObject({ status: 200 });
    },
  );

  it('has no pages unless it is given some', async () => {
    const bare = await AdminServer.start({ host: '127.0.0.1', port: 0 }, { readiness: () => undefined });
    expect((await fetch(`http://127.0.0.1:${bare.port}/countz`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${bare.port}/startupz`)).status).toBe(200);
    await bare.close();
  });
});
