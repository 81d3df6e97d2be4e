import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { Ctx, MessagePattern, Payload, RpcException, type TcpContext } from '@nestjs/microservices';
import { NEVER, from, type Observable } from 'rxjs';
import { startMicroservice, type RunningService } from '../running-service.js';
import { parseAddress, type Address } from './address.js';
import { RpcClient, RpcRefusal, RpcTimeout } from './rpc-client.js';

@Controller()
class EchoController {
  @MessagePattern('echo')
  echo(@Payload() data: { body: string }): object {
    return { kind: 'complete', body: data.body };
  }

  @MessagePattern('count')
  count(): Observable<object> {
    return from([{ n: 1 }, { n: 2 }, { n: 3 }]);
  }

  @MessagePattern('never')
  never(): Observable<object> {
    return NEVER;
  }

  @MessagePattern('refuse')
  refuse(): never {
    throw new RpcException({ code: 'replay_unavailable' });
  }

  @MessagePattern('hang-up')
  hangUp(@Ctx() context: TcpContext): Observable<object> {
    context.getSocketRef().netSocket.destroy();
    return NEVER;
  }
}

@Module({ controllers: [EchoController] })
class EchoModule {}

let service: RunningService | undefined;
let client: RpcClient | undefined;

function serve(port: number): Promise<RunningService> {
  return startMicroservice({
    name: 'echo',
    module: EchoModule,
    listen: { host: '127.0.0.1', port },
    logLevel: 'silent',
  });
}

async function connected(): Promise<RpcClient> {
  service = await serve(0);
  client = new RpcClient(service.address);
  await client.ready();
  return client;
}

afterEach(async () => {
  client?.close();
  await service?.close();
  client = undefined;
  service = undefined;
});

describe('RpcClient', () => {
  it('gets one answer for one request through a real Nest microservice', async () => {
    const rpc = await connected();
    expect(await rpc.ask('echo', { body: '{"a":1}' }, 1_000)).toEqual({ kind: 'complete', body: '{"a":1}' });
  });

  it('gets every item of a stream in order, the last one marked as the end', async () => {
    const rpc = await connected();
    const items: unknown[] = [];
    await new Promise<void>((resolve) => {
      rpc.open('count', {}, ({ response, isDisposed }) => {
        items.push(response);
        if (isDisposed) resolve();
      });
    });
    expect(items).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('ends every pending request when the connection closes', async () => {
    const rpc = await connected();
    const pending = [rpc.ask('never', {}, 5_000), rpc.ask('never', {}, 5_000), rpc.ask('hang-up', {}, 5_000)];
    const settled = await Promise.allSettled(pending);
    expect(settled.map((one) => one.status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('connects again after the connection was lost', async () => {
    const rpc = await connected();
    await expect(rpc.ask('hang-up', {}, 5_000)).rejects.toThrow();
    expect(await rpc.ask('echo', { body: '{}' }, 1_000)).toEqual({ kind: 'complete', body: '{}' });
  });

  it('gives up on an answer after its time', async () => {
    const rpc = await connected();
    await expect(rpc.ask('never', {}, 20)).rejects.toBeInstanceOf(RpcTimeout);
  });

  it('tells a refusal from a lost connection', async () => {
    const rpc = await connected();
    const refusal = await rpc.ask('refuse', {}, 1_000).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RpcRefusal);
    expect((refusal as RpcRefusal).detail).toEqual({ code: 'replay_unavailable' });
    await expect(rpc.ask('no-such-pattern', {}, 1_000)).rejects.toBeInstanceOf(RpcRefusal);
  });

  it('tells all who wait that it was closed while it was connecting', async () => {
    await connected();
    const other = new RpcClient(service?.address as Address);
    const waiting = [other.ready(), other.ready(), other.ask('echo', { body: '{}' }, 1_000)];
    other.close();
    const settled = await Promise.allSettled(waiting);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('connects once for however many wait', async () => {
    await connected();
    const other = new RpcClient(service?.address as Address);
    const waiting = Array.from({ length: 50 }, () => other.ask('echo', { body: '{}' }, 1_000));
    // Node warns of more than ten.
    expect(other.unwrap<Socket>().listenerCount('close')).toBeLessThan(10);
    expect(new Set((await Promise.all(waiting)).map((answer) => JSON.stringify(answer))).size).toBe(1);
    other.close();
  });

  it('tries anew right after a try that failed', async () => {
    const rpc = await connected();
    const { port } = service?.address as Address;
    rpc.close();
    await service?.close();
    await expect(rpc.ready()).rejects.toThrow(/ECONNREFUSED/);
    service = await serve(port);
    expect(await rpc.ask('echo', { body: '{}' }, 1_000)).toEqual({ kind: 'complete', body: '{}' });
  });

  it('rejects at once when nobody listens', async () => {
    const rpc = await connected();
    await service?.close();
    client = new RpcClient({ host: '127.0.0.1', port: 1 });
    await expect(client.ready()).rejects.toThrow(/ECONNREFUSED/);
    rpc.close();
  });
});

describe('parseAddress', () => {
  it.each([
    ['127.0.0.1:4000', { host: '127.0.0.1', port: 4000 }],
    ['workers.default.svc:80', { host: 'workers.default.svc', port: 80 }],
    ['[::1]:4000', { host: '::1', port: 4000 }],
  ])('reads %s', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each(['', 'host', ':80', 'host:', 'host:0', 'host:65536', '::1:80', 'a b:80', 'host:80/x', 'host:8e1'])(
    'refuses %j',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );
});
