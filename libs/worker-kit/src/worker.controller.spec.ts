import { EventEmitter, once } from 'node:events';
import { createConnection } from 'node:net';
import { Injectable } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TcpContext, Transport, type TcpOptions } from '@nestjs/microservices';
import { describe, expect, it } from '@jest/globals';
import { PATTERN, watchItemSchema, type CallItem, type CallRequest, type WatchItem } from '@roundhouse/contracts';
import { Call } from './call.js';
import { CatalogueChanges } from './catalogue-changes.js';
import { Tool } from './declarations.js';
import { SpecWorker, textsOf, toRequest } from './test-kit/flow-driver.js';
import { WorkerDrain } from './worker-drain.js';
import { WorkerModule } from './worker.module.js';

/** Calls that hang until the spec lets them go. */
class Gates {
  readonly signals: AbortSignal[] = [];
  readonly open: (() => void)[] = [];
  readonly changed = new EventEmitter();
}

@Injectable()
class Slow {
  constructor(private readonly gates: Gates) {}

  @Tool({ name: 'now', description: 'Answers at once' })
  now() {
    return 'now';
  }

  @Tool({ name: 'hang', description: 'Waits to be let go' })
  async hang(_: unknown, call: Call) {
    this.gates.signals.push(call.signal);
    call.signal.addEventListener('abort', () => this.gates.changed.emit('aborted'));
    call.progress(1);
    await new Promise<void>((resolve) => {
      this.gates.open.push(resolve);
      this.gates.changed.emit('called');
    });
    call.progress(2);
    return 'done';
  }

  @Tool({ name: 'late', description: 'Looks at its signal late' })
  async late(_: unknown, call: Call) {
    await new Promise<void>((resolve) => this.gates.open.push(resolve));
    this.gates.signals.push(call.signal);
    return 'done';
  }
}

async function start(limits = {}) {
  const gates = new Gates();
  const worker = await SpecWorker.start({ tools: [Slow], providers: [{ provide: Gates, useValue: gates }], limits });
  const items: CallItem[] = [];
  const send = (request: CallRequest) =>
    worker.controller.call(request, worker.context).subscribe((item) => items.push(item));
  return { worker, gates, items, send };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('call', () => {
  it('sends a reply that is there at once in the same turn', async () => {
    const { items, send } = await start();
    send(toRequest('now'));
    expect(items.map(({ kind }) => kind)).toEqual(['complete']);
  });

  it('sends notices first and exactly one reply last', async () => {
    const { gates, items, send } = await start();
    send(toRequest('hang', { wantsProgress: true }));
    gates.open[0]?.();
    await settled();
    expect(items.map(({ kind }) => kind)).toEqual(['progress', 'progress', 'complete']);
  });

  it.each([undefined, null, {}, { callId: 1, target: 'now' }, { callId: 'a' }])(
    'refuses the envelope %j',
    async (request) => {
      const { items, send } = await start();
      send(request as never);
      expect(items).toMatchObject([{ kind: 'error', code: 'failed' }]);
    },
  );

  it('turns calls away beyond what may run at once, and takes them again later', async () => {
    const { gates, items, send } = await start({ callsMax: 1 });
    send(toRequest('hang'));
    send(toRequest('now'));
    expect(items).toEqual([{ kind: 'error', code: 'draining', message: 'busy' }]);
    gates.open[0]?.();
    await settled();
    send(toRequest('now'));
    expect(items.map(({ kind }) => kind)).toEqual(['error', 'complete', 'complete']);
  });
});

describe('cancel', () => {
  it('aborts the signal and replies at once; what the method does later is not heard', async () => {
    const { worker, gates, items, send } = await start();
    send(toRequest('hang', { callId: 'a' }));
    worker.controller.cancel({ callId: 'a' }, worker.context);
    expect(gates.signals[0]?.aborted).toBe(true);
    gates.open[0]?.();
    await settled();
    expect(items).toEqual([{ kind: 'error', code: 'cancelled', message: 'cancelled' }]);
  });

  it('is seen by a method that looks only afterwards', async () => {
    const { worker, gates, send } = await start();
    send(toRequest('late', { callId: 'a' }));
    worker.controller.cancel({ callId: 'a' }, worker.context);
    gates.open[0]?.();
    await settled();
    expect(gates.signals[0]?.aborted).toBe(true);
  });

  it('touches no other call, not even one of the same id on another connection', async () => {
    const { worker, gates, items, send } = await start();
    send(toRequest('hang', { callId: 'a' }));
    const stranger = new TcpContext([new EventEmitter() as never, '', {} as never]);
    worker.controller.cancel({ callId: 'a' }, stranger);
    worker.controller.cancel({ callId: 'b' }, worker.context);
    expect(gates.signals[0]?.aborted).toBe(false);
    expect(items).toEqual([]);
  });

  it.each([undefined, null, {}, { callId: '' }, { callId: 5 }, { callId: '__proto__' }])(
    'ignores the event %j',
    async (event) => {
      const { worker, gates, send } = await start();
      send(toRequest('hang', { callId: 'a' }));
      worker.controller.cancel(event, worker.context);
      expect(gates.signals[0]?.aborted).toBe(false);
    },
  );
});

describe('a connection', () => {
  it('cancels its calls when it closes, listening once for all of them', async () => {
    const { worker, gates, send } = await start();
    send(toRequest('hang'));
    send(toRequest('hang'));
    expect(worker.socket.listenerCount('close')).toBe(1);
    worker.socket.emit('close');
    expect(gates.signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('that is closed already cancels what still arrives', async () => {
    const { worker, gates, send } = await start();
    worker.controller.watch(worker.context);
    worker.socket.emit('close');
    send(toRequest('hang'));
    expect(gates.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('over TCP that a router drops cancels its calls', async () => {
    const gates = new Gates();
    const module = WorkerModule.register({
      name: 'spec',
      version: '1',
      tools: [Slow],
      providers: [{ provide: Gates, useValue: gates }],
    });
    const app = await NestFactory.createMicroservice<TcpOptions>(module, {
      transport: Transport.TCP,
      options: { host: '127.0.0.1', port: 0 },
      logger: false,
    });
    await app.listen();
    try {
      const { port } = app.unwrap<import('node:net').Server>().address() as import('node:net').AddressInfo;
      const socket = createConnection(port, '127.0.0.1');
      const message = JSON.stringify({ pattern: PATTERN.call, id: '1', data: toRequest('hang') });
      const called = once(gates.changed, 'called');
      socket.write(`${Buffer.byteLength(message)}#${message}`);
      await called;
      const aborted = once(gates.changed, 'aborted');
      socket.destroy();
      await aborted;
      expect(gates.signals[0]?.aborted).toBe(true);
    } finally {
      gates.open[0]?.();
      await app.close();
    }
  });
});

describe('watch', () => {
  async function watched() {
    const { worker, gates, send } = await start();
    const items: WatchItem[] = [];
    worker.controller.watch(worker.context).subscribe((item) => items.push(watchItemSchema.parse(item)));
    return { worker, gates, send, items };
  }

  it('tells the hash first and then what changes', async () => {
    const { worker, items } = await watched();
    const changes = worker.module.get(CatalogueChanges, { strict: false });
    changes.changed('tools');
    changes.updated('test://x');
    const { hash } = worker.controller.describe();
    expect(items).toEqual([
      { kind: 'catalogue', hash },
      { kind: 'list_changed', list: 'tools' },
      { kind: 'resource_updated', uri: 'test://x' },
    ]);
  });

  it('ends with its connection', async () => {
    const { worker, items } = await watched();
    worker.socket.emit('close');
    worker.module.get(CatalogueChanges, { strict: false }).changed('tools');
    expect(items).toHaveLength(1);
  });

  it('that begins on a closed connection ends at once', async () => {
    const { worker } = await watched();
    worker.socket.emit('close');
    let ended = false;
    worker.controller.watch(worker.context).subscribe({ complete: () => (ended = true) });
    expect(ended).toBe(true);
  });

  it('tells that the worker drains, also to who comes later', async () => {
    const { worker, items } = await watched();
    worker.module.get(WorkerDrain, { strict: false }).begin();
    expect(items.at(-1)).toEqual({ kind: 'draining' });
    const late: WatchItem[] = [];
    worker.controller.watch(worker.context).subscribe((item) => late.push(item));
    expect(late.map(({ kind }) => kind)).toEqual(['catalogue', 'draining']);
  });
});

describe('drain', () => {
  it('turns new calls away and is idle when the last running call has ended', async () => {
    const { worker, gates, items, send } = await start();
    const drain = worker.module.get(WorkerDrain, { strict: false });
    send(toRequest('hang'));
    drain.begin();
    let idle = false;
    const done = drain.idle().then(() => (idle = true));
    send(toRequest('now'));
    await settled();
    expect(items).toEqual([{ kind: 'error', code: 'draining', message: 'draining' }]);
    expect(idle).toBe(false);
    gates.open[0]?.();
    await done;
    expect(textsOf(items[1] as never)).toEqual(['done']);
  });

  it('counts a cancelled call until its method has ended', async () => {
    const { worker, gates, send } = await start();
    const drain = worker.module.get(WorkerDrain, { strict: false });
    send(toRequest('hang', { callId: 'a' }));
    worker.controller.cancel({ callId: 'a' }, worker.context);
    expect(drain.runningCalls).toBe(1);
    gates.open[0]?.();
    await drain.idle();
    expect(drain.runningCalls).toBe(0);
  });

  it('begins once', async () => {
    const { worker } = await start();
    const drain = worker.module.get(WorkerDrain, { strict: false });
    const kinds: string[] = [];
    worker.controller.watch(worker.context).subscribe(({ kind }) => kinds.push(kind));
    drain.begin();
    drain.begin();
    expect(kinds).toEqual(['catalogue', 'draining']);
    await drain.idle();
  });
});
