import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completes } from '../testing/replies.js';
import { RouterUnderTest } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

/** A router that was just started gives all groups some seconds to be there before it says that it is ready. */
const READY_WITHIN_MS = 60_000;

let silent: Server;
let router: RouterUnderTest;

beforeAll(async () => {
  silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const silentPort = (silent.address() as AddressInfo).port;
  router = await RouterUnderTest.start(
    [new ScriptedWorker({ echo: { script: () => completes('served') } })],
    (config) => ({
      ...config,
      workers: [
        { id: 'refusing', prefix: '', addresses: ['127.0.0.1:1'] },
        { id: 'silent', prefix: '', addresses: [`127.0.0.1:${silentPort}`] },
        ...config.workers,
      ],
    }),
  );
}, READY_WITHIN_MS);
afterAll(async () => {
  await router.stop();
  silent.close();
});

describe('worker groups that refuse connections, or take them and say nothing [B10]', () => {
  it('keep no other group from being listed', async () => {
    const { status, body } = await router.call('tools/list', {});
    expect([status, (body.result?.['tools'] as { name: string }[]).map(({ name }) => name)]).toEqual([200, ['echo']]);
  });

  it('keep no call of another group from being served', async () => {
    expect((await router.tool('echo', {})).body.result?.content?.[0]?.text).toBe('served');
  });

  it('make no tool that nobody offers known', async () => {
    expect((await router.tool('theirs', {})).body.error?.code).toBe(-32602);
  });
});
