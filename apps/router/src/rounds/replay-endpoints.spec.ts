import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Inject, Module } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { startMicroservice, type Address, type RunningService } from '@roundhouse/service-kit';
import { until } from '@roundhouse/testing';
import { dialWith } from '../dispatch/dial.js';
import { ReplayEndpoints } from './replay-endpoints.js';

const SOON_MS = 5_000;
const NAME = Symbol('name');

@Controller()
class NamedController {
  constructor(@Inject(NAME) private readonly name: string) {}

  @MessagePattern('name')
  tell(): { readonly name: string } {
    return { name: this.name };
  }
}

@Module({})
class NamedModule {}

const services: RunningService[] = [];
const opened: ReplayEndpoints[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) each.close();
  for (const each of services.splice(0)) await each.close();
});

async function serve(name: string, port = 0): Promise<RunningService> {
  const service = await startMicroservice({
    name: 'replay',
    module: { module: NamedModule, controllers: [NamedController], providers: [{ provide: NAME, useValue: name }] },
    listen: { host: '127.0.0.1', port },
    logLevel: 'silent',
  });
  services.push(service);
  return service;
}

function endpointsAt(...addresses: Address[]): ReplayEndpoints {
  const endpoints = new ReplayEndpoints(dialWith(undefined, undefined), { reconnectPauseMs: 20, setAsideMs: 200 });
  opened.push(endpoints);
  endpoints.replace(addresses);
  return endpoints;
}

/** Who answers so many questions, one after the other. */
async function answering(endpoints: ReplayEndpoints, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    const { name } = (await endpoints.next()?.client.ask('name', {}, SOON_MS)) as { name: string };
    names.push(name);
  }
  return names;
}

const allAnswer = (endpoints: ReplayEndpoints, ...names: string[]) =>
  until(async () => new Set(await answering(endpoints, names.length)).size === names.length);

describe('the replicas of the replay service', () => {
  it('are none until discovery names one', () => {
    expect(endpointsAt().next()).toBeUndefined();
  });

  it('are asked in turn, each as often as another', async () => {
    const [a, b, c] = [await serve('a'), await serve('b'), await serve('c')];
    const endpoints = endpointsAt(a.address, b.address, c.address);
    await allAnswer(endpoints, 'a', 'b', 'c');
    const names = await answering(endpoints, 30);
    for (const name of ['a', 'b', 'c']) expect(names.filter((each) => each === name)).toHaveLength(10);
    for (const [at, name] of names.entries()) expect(name).not.toBe(names[at + 1]);
  });

  it('are connected before the first question', async () => {
    const [a, b] = [await serve('a'), await serve('b')];
    const endpoints = endpointsAt(a.address, b.address);
    await until(async () => endpoints.connectedCount === 2);
  });

  it('are passed over while they are away, and asked again when they are back', async () => {
    const [a, b] = [await serve('a'), await serve('b')];
    const endpoints = endpointsAt(a.address, b.address);
    await allAnswer(endpoints, 'a', 'b');
    await b.close();
    await until(async () => endpoints.connectedCount === 1);
    expect(new Set(await answering(endpoints, 10))).toEqual(new Set(['a']));
    await serve('b again', b.address.port);
    await allAnswer(endpoints, 'a', 'b again');
  });

  it('are asked all the same when all are away: one may be back', async () => {
    const a = await serve('a');
    const endpoints = endpointsAt(a.address);
    await allAnswer(endpoints, 'a');
    await a.close();
    await until(async () => endpoints.connectedCount === 0);
    await expect(endpoints.next()?.client.ask('name', {}, SOON_MS)).rejects.toThrow();
    await serve('a again', a.address.port);
    expect(await answering(endpoints, 1)).toEqual(['a again']);
  });

  it('are not tried at every question while they are away', async () => {
    const a = await serve('a');
    const gone = await serve('gone');
    await gone.close();
    let dialled = 0;
    const dial = dialWith(undefined, undefined);
    const counted = new ReplayEndpoints((address) => {
      const client = dial(address);
      const { ready } = client;
      client.ready = () => {
        if (address.port === gone.address.port) dialled += 1;
        return ready.call(client);
      };
      return client;
    });
    opened.push(counted);
    counted.replace([a.address, gone.address]);
    await until(async () => counted.connectedCount === 1);
    await answering(counted, 50);
    expect(dialled).toBeLessThanOrEqual(2);
  });

  it('are passed over once they were silent, until one of them answers a single question', async () => {
    const [a, b] = [await serve('a'), await serve('b')];
    const endpoints = endpointsAt(a.address, b.address);
    await allAnswer(endpoints, 'a', 'b');
    const silent = endpoints.next();
    silent?.wasSilent();
    const names = new Set(await answering(endpoints, 10));
    expect(names.size).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 250));
    // One question goes there, and no other before it is answered.
    const asked = Array.from({ length: 6 }, () => endpoints.next());
    expect(asked.filter((replica) => replica === silent)).toHaveLength(1);
    silent?.answered();
    expect(new Set(await answering(endpoints, 2)).size).toBe(2);
  });

  it('are asked all the same when all of them were silent', async () => {
    const [a, b] = [await serve('a'), await serve('b')];
    const endpoints = endpointsAt(a.address, b.address);
    await allAnswer(endpoints, 'a', 'b');
    for (let count = 0; count < 2; count += 1) endpoints.next()?.wasSilent();
    expect(await answering(endpoints, 4)).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('are asked no more once discovery names them no longer', async () => {
    const [a, b] = [await serve('a'), await serve('b')];
    const endpoints = endpointsAt(a.address, b.address);
    await allAnswer(endpoints, 'a', 'b');
    endpoints.replace([b.address]);
    expect(new Set(await answering(endpoints, 10))).toEqual(new Set(['b']));
    endpoints.replace([]);
    expect(endpoints.next()).toBeUndefined();
  });
});
