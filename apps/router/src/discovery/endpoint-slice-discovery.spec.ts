import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KubernetesApiServer, type SliceEndpoint, until } from '@roundhouse/testing';
import { EndpointSliceDiscovery } from './endpoint-slice-discovery.js';
import { KubernetesApi } from './kubernetes-api.js';

let folder: string;
let server: KubernetesApiServer;
let discovery: EndpointSliceDiscovery | undefined;
let told: string[] = [];
let failures: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-slices-'));
  await writeFile(join(folder, 'token'), 'first\n');
  await writeFile(join(folder, 'namespace'), 'tools');
  server = new KubernetesApiServer({ namespace: 'tools', token: 'first' });
  await server.start();
  [told, failures] = [[], []];
});

afterEach(async () => {
  discovery?.stop();
  await server.stop();
  await rm(folder, { recursive: true });
});

function follow(where: { service?: string; selector?: string } = { service: 'notes' }): void {
  const api = new KubernetesApi({
    url: server.url,
    tokenFile: join(folder, 'token'),
    caFile: join(folder, 'ca.crt'),
    namespaceFile: join(folder, 'namespace'),
  });
  const onFailure = (error: unknown) => failures.push(String(error));
  discovery = new EndpointSliceDiscovery({ ...where, portName: 'rpc', api, onFailure, random: () => 0 });
  discovery.start((addresses) => told.push(addresses.map(({ host }) => host.replace('10.0.0.', '')).join(' ')));
}

async function following(): Promise<void> {
  follow();
  await until(() => server.watching === 1);
}

const pods = (...numbers: (number | SliceEndpoint)[]): SliceEndpoint[] =>
  numbers.map((each) => (typeof each === 'number' ? { address: `10.0.0.${each}` } : each));
const put = (name: string, ...numbers: (number | SliceEndpoint)[]): void =>
  server.put(name, { service: 'notes', port: 4000, endpoints: pods(...numbers) });

describe('discovery by EndpointSlices', () => {
  it('lists, then follows every change', async () => {
    put('a', 1);
    await following();
    put('a', 1, 2);
    put('b', 3);
    await until(() => told.at(-1) === '1 2 3');
    server.delete('a');
    await until(() => told.at(-1) === '3');
    expect(told).toEqual(['1', '1 2', '1 2 3', '3']);
    expect(failures).toEqual([]);
  });

  it('follows every Service that carries the labels, and none that lacks one', async () => {
    const labels = { kind: 'worker', team: 'billing' };
    const putOf = (service: string, number: number, own: Record<string, string>): void =>
      server.put(service, { service, labels: own, port: 4000, endpoints: pods(number) });
    putOf('invoices', 1, labels);
    putOf('web', 2, { team: 'billing' });
    follow({ selector: 'kind=worker,team=billing' });
    await until(() => server.watching === 1);
    putOf('payments', 3, labels);
    await until(() => told.at(-1) === '1 3');
    putOf('stranger', 4, { kind: 'worker' });
    server.delete('invoices');
    await until(() => told.at(-1) === '3');
    expect(told).toEqual(['1', '1 3', '3']);
  });

  it('gives no new work to a pod that is going away', async () => {
    put('a', 1, 2);
    await following();
    put('a', { address: '10.0.0.1', ready: false }, 2);
    await until(() => told.at(-1) === '2');
  });

  it('reads a list of several pages', async () => {
    server.pageSizeMax = 2;
    for (const number of [1, 2, 3, 4, 5]) put(`slice-${number}`, number);
    await following();
    expect(told).toEqual(['1 2 3 4 5']);
    expect(server.requests).toEqual(['list', 'list 2', 'list 4', 'watch 105']);
  });

  it('does not see the slices of another Service', async () => {
    await following();
    server.put('other', { service: 'other', port: 4000, endpoints: pods(9) });
    put('a', 1);
    await until(() => told.length > 0);
    expect(told).toEqual(['1']);
  });

  it('says nothing when a change is none of the addresses', async () => {
    put('a', 1);
    await following();
    put('a', 1);
    put('b');
    put('c', 2);
    await until(() => told.length > 1);
    expect(told).toEqual(['1', '1 2']);
  });

  it.each(['in order', 'cut'] as const)('goes on where a watch ended %s, without a new list', async (how) => {
    put('a', 1);
    await following();
    server.bookmark();
    await new Promise((resolve) => setTimeout(resolve, 20));
    server.endWatches(how);
    put('b', 2);
    await until(() => told.at(-1) === '1 2');
    expect(server.requests).toEqual(['list', 'watch 101', 'watch 102']);
  });

  it('begins again with a list when its version is too old', async () => {
    put('a', 1);
    await following();
    server.endWatches('cut');
    server.delete('a');
    put('b', 2);
    server.compact();
    put('c', 3);
    await until(() => told.at(-1) === '2 3');
    expect(server.requests.filter((each) => each === 'list')).toHaveLength(2);
    expect(failures.filter((each) => each.includes('410'))).toEqual([]);
  });

  it('keeps the last known set while the API server is away, and catches up when it is back', async () => {
    put('a', 1, 2);
    await following();
    await server.stop();
    await until(() => failures.length > 0);
    expect(told).toEqual(['1 2']);
    put('a', 2);
    await server.start();
    await until(() => told.at(-1) === '2');
    expect(told).toEqual(['1 2', '2']);
  });

  it('says once that the API server is away, however often it tries', async () => {
    put('a', 1);
    await following();
    server.status = 500;
    server.endWatches('cut');
    const asked = server.requests.length;
    await until(() => failures.some((each) => each.includes('500')));
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(failures.filter((each) => each.includes('500'))).toHaveLength(1);
    expect(server.requests).toHaveLength(asked);
  });

  it.each([401, 403, 404, 429, 500, 503])('keeps the set when it is answered %d', async (status) => {
    put('a', 1);
    await following();
    server.status = status;
    server.endWatches('in order');
    await until(() => failures.length > 0);
    server.status = undefined;
    put('a', 2);
    await until(() => told.at(-1) === '2');
    expect(told).toEqual(['1', '2']);
    expect(failures).toEqual([`Error: the Kubernetes API server answered ${status}`]);
  });

  it.each([
    ['no JSON', 'nonsense\n'],
    ['JSON that is no event', '{"type":"ADDED"}\n'],
    ['an event of an unknown kind', '{"type":"MOVED","object":{}}\n'],
    ['a line without end', 'x'.repeat(3 * 1024 * 1024)],
  ])('survives %s in a watch', async (_what, text) => {
    put('a', 1);
    await following();
    server.sendRaw(text);
    await until(() => failures.length > 0);
    put('a', 2);
    await until(() => told.at(-1) === '2');
    expect(told).toEqual(['1', '2']);
  });

  it('reads an event that comes in two pieces', async () => {
    await following();
    const slice = {
      metadata: { name: 'a', resourceVersion: '200' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.7'] }],
      ports: [{ name: 'rpc', port: 4000 }],
    };
    const text = `${JSON.stringify({ type: 'ADDED', object: slice })}\n`;
    server.sendRaw(text.slice(0, 40));
    await new Promise((resolve) => setTimeout(resolve, 10));
    server.sendRaw(text.slice(40));
    await until(() => told.at(-1) === '7');
    expect(failures).toEqual([]);
  });

  it('reads its token anew for each request, as the cluster renews it', async () => {
    await writeFile(join(folder, 'token'), 'old');
    follow();
    await until(() => failures.length > 0);
    expect(failures).toEqual(['Error: the Kubernetes API server answered 401']);
    await writeFile(join(folder, 'token'), 'first');
    put('a', 1);
    await until(() => told.at(-1) === '1');
  });

  it('waits for a slow server without a second request', async () => {
    server.delayMs = 300;
    put('a', 1);
    await following();
    expect(server.requests).toEqual(['list', 'watch 101']);
    expect(told).toEqual(['1']);
  });

  it('is empty when the server says that nothing is ready', async () => {
    put('a', 1);
    await following();
    put('a');
    await until(() => told.at(-1) === '');
    expect(told).toEqual(['1', '']);
  });

  it('says nothing more once it was stopped', async () => {
    put('a', 1);
    await following();
    discovery?.stop();
    put('a', 2);
    await until(() => server.watching === 0);
    expect(told).toEqual(['1']);
    expect(failures).toEqual([]);
  });

  it('tells when the server was last heard', async () => {
    put('a', 1);
    follow();
    expect(discovery?.heardAtMs).toBeUndefined();
    await until(() => told.length > 0);
    expect(discovery?.heardAtMs).toBeGreaterThan(0);
  });
});
