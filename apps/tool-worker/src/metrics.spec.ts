import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PATTERN, type CallItem, type CallRequest } from '@roundhouse/contracts';
import { RpcClient, type RunningService } from '@roundhouse/service-kit';
import { toRequest } from '@roundhouse/worker-kit/testing';
import { toolWorkerConfig } from './config.js';
import { startToolWorker } from './start-tool-worker.js';

let service: RunningService;
let client: RpcClient;
beforeAll(async () => {
  const env = {
    ROUNDHOUSE_WORKER_RPC_PORT: '0',
    ROUNDHOUSE_WORKER_ADMIN_PORT: '0',
    ROUNDHOUSE_WORKER_MODULES: 'diagnostics,conformance',
    ROUNDHOUSE_LOG_LEVEL: 'silent',
  };
  service = await startToolWorker(toolWorkerConfig.load(env));
  client = new RpcClient(service.address);
  await client.ready();
});
afterAll(async () => {
  client.close();
  await service.close();
});

async function readLines(): Promise<string[]> {
  return (await (await fetch(`http://127.0.0.1:${service.adminPort}/metrics`)).text()).split('\n');
}

/** The labels of the operation that a call became; undefined for none. */
async function operationOf(target: string, changes: Partial<CallRequest>): Promise<string | undefined> {
  const counted = async (): Promise<string[]> =>
    (await readLines()).filter((line) => line.startsWith('mcp_server_operation_duration_seconds_count'));
  const before = new Set(await counted());
  await new Promise<void>((resolve) => {
    client.open(PATTERN.call, { ...toRequest(target), ...changes }, ({ response, isDisposed }) => {
      const kind = (response as CallItem | undefined)?.kind;
      if (isDisposed || (kind !== undefined && kind !== 'progress' && kind !== 'log')) resolve();
    });
  });
  const added = (await counted()).find((line) => !before.has(line));
  return added === undefined ? undefined : /\{(.*)\}/.exec(added)?.[1];
}

const REST = 'mcp_protocol_version="2026-07-28",network_transport="tcp"';

describe('a worker’s page of metrics', () => {
  it('has a call by its tool', async () => {
    expect(await operationOf('echo', { body: '{"message":"x"}' })).toBe(
      `mcp_method_name="tools/call",gen_ai_tool_name="echo",${REST}`,
    );
  });

  it('tells a tool error from a result', async () => {
    expect(await operationOf('echo', { body: '{"message":7}' })).toBe(
      `mcp_method_name="tools/call",gen_ai_tool_name="echo",error_type="tool_error",${REST}`,
    );
  });

  it('has a prompt by its name', async () => {
    expect(await operationOf('test_simple_prompt', { method: 'prompts/get' })).toBe(
      `mcp_method_name="prompts/get",gen_ai_prompt_name="test_simple_prompt",${REST}`,
    );
  });

  it('has no URI and no version that we do not know', async () => {
    expect(await operationOf('test://static-text', { method: 'resources/read', revision: 'MARK' })).toBe(
      'mcp_method_name="resources/read",network_transport="tcp"',
    );
  });

  it('has nothing of a tool that it does not serve', async () => {
    expect(await operationOf('MARK', {})).toBeUndefined();
  });

  it('tells what runs and who it is', async () => {
    const lines = await readLines();
    expect(lines).toContain('roundhouse_worker_calls_inflight 0');
    expect(lines).toContain('roundhouse_build_info{service="tool-worker",version="0.1.0"} 1');
  });
});
