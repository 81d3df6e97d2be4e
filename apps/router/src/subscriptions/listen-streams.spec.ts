import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { META } from '@roundhouse/protocol';
import { RouterDrain } from '../router-drain.js';
import { RouterUnderTest, modernMessage, standardHeaders, type RpcBody } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

/** An open stream: messages are taken one by one, so that a test can wait for the next. */
class Listener {
  private readonly queue: RpcBody[] = [];
  private waiting: ((body: RpcBody) => void) | undefined;
  ended = false;
  raw = '';

  constructor(
    private readonly sent: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    let rest = '';
    response.on('data', (chunk: Buffer) => {
      this.raw += chunk.toString();
      const events = (rest + chunk.toString()).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events)
        if (event.startsWith('event:')) this.push(JSON.parse(event.slice(event.indexOf('data: ') + 6)) as RpcBody);
    });
    response.on('end', () => (this.ended = true));
    response.on('error', () => (this.ended = true));
  }

  static async open(port: number, notifications: unknown, id: string | number = 'L1'): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path: '/mcp',
          method: 'POST',
          headers: standardHeaders('subscriptions/listen', {}),
          agent: false,
        },
        (response) => resolve(new Listener(sent, response)),
      );
      sent.on('error', reject);
      sent.end(JSON.stringify(modernMessage('subscriptions/listen', { notifications }, { id })));
    });
  }

  async next(): Promise<RpcBody> {
    const queued = this.queue.shift();
    if (queued !== undefined) return queued;
    return new Promise((resolve) => (this.waiting = resolve));
  }

  close(): void {
    this.sent.destroy();
  }

  private push(body: RpcBody): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting === undefined) this.queue.push(body);
    else waiting(body);
  }
}

const worker = new ScriptedWorker({ one: {} });
let router: RouterUnderTest;
let listeners: Listener[] = [];
beforeAll(async () => {
  router = await RouterUnderTest.start([worker], (config) => ({
    ...config,
    limits: { ...config.limits, heartbeatMs: 20, streamsMax: 3 },
  }));
});
afterAll(() => router.stop());
afterEach(async () => {
  for (const listener of listeners) listener.close();
  listeners = [];
  while (router.parts.streams.size > 0) await new Promise((resolve) => setImmediate(resolve));
});

async function listen(notifications: unknown, id?: string | number): Promise<Listener> {
  const listener = await Listener.open(router.port, notifications, id);
  listeners.push(listener);
  return listener;
}
const subscription = (id: string | number): object => ({ [META.subscriptionId]: id });

describe('subscriptions/listen', () => {
  it('acknowledges first, at once, and exactly what it honours', async () => {
    const listener = await listen({ toolsListChanged: true, resourceSubscriptions: ['a://b'], taskIds: ['t'] });
    expect(listener.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(await listener.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['a://b'] },
        _meta: subscription('L1'),
      },
    });
  });

  it.each(['L1', 7, 0, ''])('names the subscription by the id it was given: %j', async (id) => {
    const listener = await listen({ toolsListChanged: true }, id);
    await listener.next();
    worker.changes.next({ kind: 'list_changed', list: 'tools' });
    expect(await listener.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: subscription(id) },
    });
  });

  it('tells each stream only what it asked for', async () => {
    const tools = await listen({ toolsListChanged: true }, 1);
    const resource = await listen({ resourceSubscriptions: ['file:///a', 'file:///dir'] }, 2);
    await Promise.all([tools.next(), resource.next()]);
    for (const uri of ['file:///ab', 'file:///other', 'file:///dir/below', 'file:///a'])
      worker.changes.next({ kind: 'resource_updated', uri });
    worker.changes.next({ kind: 'list_changed', list: 'prompts' });
    worker.changes.next({ kind: 'list_changed', list: 'tools' });
    expect((await resource.next()).params?.['uri']).toBe('file:///dir/below');
    expect((await resource.next()).params?.['uri']).toBe('file:///a');
    expect((await tools.next()).method).toBe('notifications/tools/list_changed');
  });

  it('tells a burst of changes once', async () => {
    const listener = await listen({ toolsListChanged: true, promptsListChanged: true });
    await listener.next();
    for (let n = 0; n < 10; n += 1) worker.changes.next({ kind: 'list_changed', list: 'tools' });
    worker.changes.next({ kind: 'list_changed', list: 'prompts' });
    expect([(await listener.next()).method, (await listener.next()).method]).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
    ]);
  });

  it('keeps a silent line alive with comments', async () => {
    const listener = await listen({ toolsListChanged: true });
    while (!listener.raw.includes('\n\n: keep-alive\n\n')) await new Promise((resolve) => setImmediate(resolve));
    expect(router.parts.streams.size).toBe(1);
  });

  it('refuses more streams than it can carry before it acknowledges anything', async () => {
    await listen({}, 1);
    await listen({}, 2);
    await listen({}, 3);
    const answer = await router.call('subscriptions/listen', { notifications: {} });
    expect([answer.status, answer.headers['content-type'], answer.body.error?.code]).toEqual([
      200,
      'application/json',
      -32603,
    ]);
  });

  it('needs a client that takes a stream', async () => {
    const answer = await router.call(
      'subscriptions/listen',
      { notifications: {} },
      { headers: { accept: 'application/json' } },
    );
    expect(answer.status).toBe(406);
  });

  it('forgets a stream whose client went away', async () => {
    const listener = await listen({ toolsListChanged: true });
    await listener.next();
    listener.close();
    while (router.parts.streams.size > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(router.parts.keepAlive.size).toBe(0);
  });

  it('tells that lists may have changed once a worker that was lost is back', async () => {
    const lost = new ScriptedWorker({ one: {} });
    const port = Number((await lost.start()).split(':')[1]);
    const other = await RouterUnderTest.start([], (config) => ({
      ...config,
      workers: [{ id: 'lost', prefix: '', addresses: [`127.0.0.1:${port}`] }],
    }));
    const listener = await Listener.open(other.port, { toolsListChanged: true });
    await listener.next();
    await lost.stop();
    await lost.start(port);
    expect((await listener.next()).method).toBe('notifications/tools/list_changed');
    listener.close();
    await other.stop();
    await lost.stop();
  });

  it('ends in order when the router stops: its own result, then the close', async () => {
    const other = await RouterUnderTest.start([]);
    const listener = await Listener.open(other.port, { toolsListChanged: true }, 'last');
    await listener.next();
    const end = listener.next();
    await other.stop();
    expect(await end).toEqual({
      jsonrpc: '2.0',
      id: 'last',
      result: { resultType: 'complete', _meta: subscription('last') },
    });
    while (!listener.ended) await new Promise((resolve) => setImmediate(resolve));
  });

  it('spreads the ends of its streams when the router leaves, and ends none later than it was given', async () => {
    const [spread, left] = [400, await leaving(400)];
    const streams = await Promise.all(Array.from({ length: 8 }, (_, at) => Listener.open(left.port, {}, at)));
    for (const stream of streams) await stream.next();
    const startedMs = performance.now();
    left.parts.streams.leave(spread);
    const ends = await Promise.all(
      streams.map(async (stream) => {
        expect((await stream.next()).result).toMatchObject({ resultType: 'complete' });
        return performance.now() - startedMs;
      }),
    );
    expect(new Set(ends.map((ms) => Math.round(ms / 10))).size).toBeGreaterThan(1);
    await left.parts.streams.idle();
    expect(left.parts.streams.size).toBe(0);
    await left.stop();
  });

  it('ends a stream that is opened while the router leaves, too', async () => {
    const left = await leaving(0);
    left.parts.streams.leave(0);
    const stream = await Listener.open(left.port, {}, 'late');
    expect((await stream.next()).method).toBe('notifications/subscriptions/acknowledged');
    expect((await stream.next()).id).toBe('late');
    await left.stop();
  });

  it('ends all at once when whoever stops it is in a hurry', async () => {
    const left = await leaving(60_000);
    const stream = await Listener.open(left.port, {}, 'hurried');
    await stream.next();
    const drain = new RouterDrain(left.parts, 60_000);
    drain.begin();
    expect(left.parts.streams.size).toBe(1);
    drain.hasten();
    expect((await stream.next()).id).toBe('hurried');
    await drain.idle();
    await left.stop();
  });
});

function leaving(streamsSpreadMs: number): Promise<RouterUnderTest> {
  return RouterUnderTest.start([], (config) => ({ ...config, drain: { ...config.drain, streamsSpreadMs } }));
}
