import { describe, expect, it } from '@jest/globals';
import { PATTERN, type CallItem, type WatchItem } from '@roundhouse/contracts';
import { RpcClient, startMicroservice } from '@roundhouse/service-kit';
import { WorkerDrain } from '@roundhouse/worker-kit';
import { toRequest } from '@roundhouse/worker-kit/testing';
import { ToolWorkerModule } from './app.module.js';
import { toolWorkerConfig } from './config.js';

async function start() {
  const config = toolWorkerConfig.load({ ROUNDHOUSE_WORKER_RPC_PORT: '0' });
  const service = await startMicroservice({
    name: 'tool-worker',
    module: ToolWorkerModule.forConfig(config),
    listen: config.listen,
    logLevel: 'silent',
    drain: (app) => app.get(WorkerDrain, { strict: false }),
  });
  const client = new RpcClient(service.address);
  await client.ready();
  return { service, client };
}

describe('a worker that is stopped', () => {
  it('says so, finishes what it has, turns the rest away, and closes only when the last reply is out', async () => {
    const { service, client } = await start();
    const seen: (CallItem | WatchItem | Error)[] = [];
    const onPacket = ({ err, response }: { err?: unknown; response?: unknown }) => {
      if (response !== undefined || err !== undefined) seen.push((response ?? err) as CallItem);
    };
    const draining = new Promise<void>((resolve) => {
      client.open(PATTERN.watch, {}, (packet) => {
        onPacket(packet);
        if ((packet.response as WatchItem | undefined)?.kind === 'catalogue') void service.close();
        if ((packet.response as WatchItem | undefined)?.kind === 'draining') resolve();
      });
      client.open(PATTERN.call, toRequest('wait', { body: '{"ms":300}' }), onPacket);
    });
    await draining;
    client.open(PATTERN.call, toRequest('echo', { body: '{"message":"late"}' }), onPacket);
    await service.close();
    await new Promise((resolve) => client.on('close', resolve as () => void));
    expect(seen).toMatchObject([
      { kind: 'catalogue' },
      { kind: 'draining' },
      { kind: 'error', code: 'draining' },
      { kind: 'complete', body: expect.stringContaining('Waited 300 ms.') },
      expect.anything(),
    ]);
    client.close();
  });
});
