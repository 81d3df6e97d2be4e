import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PATTERN } from '@roundhouse/contracts';
import { RpcClient, type RunningService } from '@roundhouse/service-kit';
import { REDIS_START_TIMEOUT_MS, startRedisServer, type RunningRedis } from '@roundhouse/testing';
import { replayConfig } from './config.js';
import { startReplay } from './start-replay.js';

let redis: RunningRedis;
let service: RunningService;
beforeAll(async () => {
  redis = await startRedisServer({ args: ['--maxmemory', '67108864'] });
  const config = replayConfig.load({
    ROUNDHOUSE_REDIS_URL: redis.url,
    ROUNDHOUSE_REPLAY_RPC_PORT: '0',
    ROUNDHOUSE_REPLAY_ADMIN_PORT: '0',
    ROUNDHOUSE_LOG_LEVEL: 'silent',
  });
  service = await startReplay(config);
}, REDIS_START_TIMEOUT_MS);
afterAll(async () => {
  await service.close();
  await redis.stop();
});

describe('the replay service’s page of metrics', () => {
  it('shows what Redis said when it was looked at, and what was asked of it since', async () => {
    const client = new RpcClient(service.address);
    await client.ask(PATTERN.recall, { handle: 'h'.repeat(22) }, 5_000);
    client.close();
    const lines = (await (await fetch(`http://127.0.0.1:${service.adminPort}/metrics`)).text()).split('\n');
    for (const line of [
      'roundhouse_build_info{service="replay",version="0.1.0"} 1',
      'roundhouse_replay_store_duration_seconds_count{op="recall"} 1',
      'roundhouse_replay_store_errors_total{op="recall"} 0',
      'roundhouse_replay_wait_short_total 0',
      'roundhouse_replay_config_ok 1',
      'roundhouse_replay_circuit_open 0',
      'roundhouse_replay_waiters 0',
      'roundhouse_redis_memory_max_bytes 67108864',
      'roundhouse_redis_connected_replicas 0',
      'roundhouse_redis_evicted_keys 0',
    ])
      expect(lines).toContain(line);
    expect(lines.some((line) => /^roundhouse_redis_memory_used_bytes [1-9]\d{5,}$/.test(line))).toBe(true);
  });
});
