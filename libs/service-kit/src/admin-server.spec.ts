import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminServer, TextPage } from './admin-server.js';

let problem: string | undefined;
let count = 0;
let server: AdminServer;
beforeAll(async () => {
  const pages = {
    '/countz': () => ({ count: (count += 1) }),
    '/textz': async (accept: string | undefined) => new TextPage('text/x', `as ${accept}`),
    '/brokenz': () => {
      throw new Error('MARK');
    },
  };
  server = await AdminServer.start({ host: '127.0.0.1', port: 0 }, () => problem, pages);
});
afterAll(() => server.close());

async function get(path: string): Promise<{ status: number; type: string | null; text: string }> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
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

  it('shows a page as it is at each request', async () => {
    const first = await get('/countz');
    expect(first).toEqual({ status: 200, type: 'application/json', text: `{"count":${count}}\n` });
    expect((await get('/countz')).text).not.toBe(first.text);
  });

  it.each(['/', '/countz/', '/countz?a', '/__proto__', '/toString', '/metrics'])('knows no page %s', async (path) => {
    expect(await get(path)).toEqual({ status: 404, type: 'text/plain', text: 'not found\n' });
  });

  it('shows a text page as it is, and tells it what is accepted', async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/textz`, { headers: { accept: 'text/y' } });
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/x', 'as text/y']);
  });

  it('outlives a page that fails, and does not tell of what', async () => {
    expect(await get('/brokenz')).toEqual({ status: 500, type: 'text/plain', text: 'the page cannot be shown\n' });
    expect(await get('/livez')).toMatchObject({ status: 200 });
  });

  it('has no pages unless it is given some', async () => {
    const bare = await AdminServer.start({ host: '127.0.0.1', port: 0 }, () => undefined);
    expect((await fetch(`http://127.0.0.1:${bare.port}/countz`)).status).toBe(404);
    await bare.close();
  });
});
