import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { routerConfig } from '../config.js';
import { RESULT_META } from '../rounds/server-identity.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';
import { CatalogueKeeper } from './catalogue-keeper.js';

/** Nobody listens there. */
const NOBODY = '127.0.0.1:1';

const started: { stop(): unknown }[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const each of started.splice(0).reverse()) await each.stop();
});

function keeperOf(groups: Readonly<Record<string, string>>): CatalogueKeeper {
  const base = routerConfig.load({ ROUNDHOUSE_AUTH_MODE: 'development' });
  const workers = Object.entries(groups).map(([id, address]) => ({ id, prefix: '', addresses: [address] }));
  const keeper = new CatalogueKeeper({ ...base, workers }, { pageSize: 10, ttlMs: 0, meta: RESULT_META });
  started.push(keeper);
  keeper.start();
  return keeper;
}

async function worker(): Promise<string> {
  const scripted = new ScriptedWorker({ one: {} });
  started.push(scripted);
  return scripted.start();
}

function letTimePass(ms: number): void {
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + ms);
}

describe('whether there is a catalogue to serve', () => {
  it('is so when no group is configured', () => {
    expect(keeperOf({}).whyNotReady()).toBeUndefined();
  });

  it('is so once every group described itself', async () => {
    const keeper = keeperOf({ notes: await worker() });
    expect(keeper.whyNotReady()).toBe('no worker yet in notes');
    while (keeper.whyNotReady() !== undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(keeper.whyNotStarted()).toBeUndefined();
  });

  it('waits for a silent group for a while, and then no longer', async () => {
    const keeper = keeperOf({ notes: await worker(), silent: NOBODY });
    while (keeper.whyNotReady() !== 'no worker yet in silent') await new Promise((resolve) => setImmediate(resolve));
    letTimePass(11_000);
    expect(keeper.whyNotReady()).toBeUndefined();
  });

  it('is never so while no group at all described itself', () => {
    const keeper = keeperOf({ silent: NOBODY, mute: NOBODY });
    letTimePass(3_600_000);
    expect(keeper.whyNotReady()).toBe('no worker yet in silent, mute');
  });

  it('does not keep the router from having started for longer than it waits: a restart would bring no worker', () => {
    const keeper = keeperOf({ silent: NOBODY });
    expect(keeper.whyNotStarted()).toBe('no worker yet in silent');
    letTimePass(11_000);
    expect(keeper.whyNotStarted()).toBeUndefined();
  });
});
