import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NEVER, of } from 'rxjs';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest, modernMessage, standardHeaders, type Answer } from '../testing/router-under-test.js';
import { ScriptedWorker, type Script } from '../testing/scripted-worker.js';

const confirmOnce: Script = ({ answers }) =>
  answers?.['confirm'] === undefined ? asks({ confirm: confirmAsk() }) : completes('done');

const worker = new ScriptedWorker({
  plain: { script: () => completes('plain') },
  fails: { script: () => of({ kind: 'error', code: 'failed', message: 'MARK' }) },
  wrong: { script: () => of({ kind: 'complete', body: '{"content":[],"isError":true}', isError: true }) },
  lazy: { entry: { timeoutMs: 30 }, script: () => NEVER },
  hangs: { script: () => NEVER },
  asking: { script: confirmOnce },
  once: { entry: { singleUse: true }, script: confirmOnce },
});

let router: RouterUnderTest;
beforeAll(async () => {
  const admin = { host: '127.0.0.1', port: 0 };
  router = await RouterUnderTest.start([worker], (config) => ({ ...config, admin }));
});
// Closing has a limit of its own, as long as Jest's default for a hook.
afterAll(() => router.stop(), 15_000);

type Page = ReadonlyMap<string, number>;

async function read(): Promise<Page> {
  const text = await (await fetch(`http://127.0.0.1:${router.adminPort}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

/** What an action adds to our metrics: each series that changed or came, histograms by their count alone. */
async function change(action: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await read();
  await action();
  const after = await read();
  const isTold = (name: string): boolean =>
    !/^(process|nodejs)_/.test(name) &&
    !/_(bucket|sum)(\{|$)/.test(name) &&
    !name.startsWith('roundhouse_keyset_primary');
  return Object.fromEntries(
    [...after]
      .map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const)
      .filter(([name, added]) => isTold(name) && added !== 0),
  );
}

const server = (labels: string): string => `mcp_server_operation_duration_seconds_count{mcp_method_name="${labels}`;
const client = (labels: string): string => `mcp_client_operation_duration_seconds_count{mcp_method_name="${labels}`;
const REST = 'mcp_protocol_version="2026-07-28",network_transport="tcp"}';
const address = (): string =>
  String(router.parts.catalogue.workerGroups[0]?.replicas[Symbol.iterator]().next().value?.name);

const stateOf = ({ body }: Answer): string => body.result?.requestState ?? '';
const retry = (state: string): { requestState: string; inputResponses: object } => ({
  requestState: state,
  inputResponses: { confirm: accept({ ok: true }) },
});

describe('a call', () => {
  it('is measured once, with its tool, its worker and what the router added', async () => {
    expect(await change(() => router.tool('plain', {}))).toEqual({
      [server(`tools/call",gen_ai_tool_name="plain",${REST}`)]: 1,
      [client(`tools/call",gen_ai_tool_name="plain",server_address="${address()}"}`)]: 1,
      roundhouse_added_latency_seconds_count: 1,
      'roundhouse_sli_requests_total{outcome="good"}': 1,
    });
  });

  it.each([
    ['wrong', 'error_type="tool_error",', 'error_type="tool_error",', 'good'],
    ['fails', 'error_type="-32603",rpc_response_status_code="-32603",', 'error_type="-32603",', 'bad'],
    ['lazy', 'error_type="-32603",rpc_response_status_code="-32603",', 'error_type="timeout",', 'bad'],
  ])('of %s tells how it went wrong', async (tool, onServer, onClient, outcome) => {
    expect(await change(() => router.tool(tool, {}))).toMatchObject({
      [server(`tools/call",gen_ai_tool_name="${tool}",${onServer}${REST}`)]: 1,
      [client(`tools/call",gen_ai_tool_name="${tool}",${onClient}server_address="${address()}"}`)]: 1,
      [`roundhouse_sli_requests_total{outcome="${outcome}"}`]: 1,
    });
  });

  it('of a tool that nobody serves has no tool, no worker, and is the caller’s own fault', async () => {
    expect(await change(() => router.tool('MARK', {}))).toEqual({
      [server(`tools/call",rpc_response_status_code="-32602",${REST}`)]: 1,
      'roundhouse_refusals_total{code="unknown_tool",reason="as_coded"}': 1,
      'roundhouse_sli_requests_total{outcome="excluded"}': 1,
    });
  });

  it('of a method that nobody serves has no method of its own', async () => {
    expect(await change(() => router.call('MARK/mark', {}))).toEqual({
      [server(`_OTHER",rpc_response_status_code="-32601",network_transport="tcp"}`)]: 1,
      'roundhouse_refusals_total{code="method_not_found",reason="as_coded"}': 1,
      'roundhouse_sli_requests_total{outcome="excluded"}': 1,
    });
  });

  it('that was no message is counted as refused and as nothing else', async () => {
    expect(
      await change(() => router.send({ headers: { 'content-type': 'application/json', accept: '*/*' }, body: '{' })),
    ).toEqual({
      'roundhouse_refusals_total{code="parse_error",reason="body_not_json"}': 1,
      'roundhouse_sli_requests_total{outcome="excluded"}': 1,
    });
  });

  it('that was given up has no part in the objective and is no refusal', async () => {
    const before = worker.calls.length;
    const added = await change(async () => {
      await router.abandon('hangs', { arguments: {} }, () => worker.calls.length > before);
      while ((await read()).get('roundhouse_inflight_requests') !== 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
    });
    expect(Object.keys(added).filter((name) => name.includes('refusals'))).toEqual([]);
    expect(added['roundhouse_sli_requests_total{outcome="excluded"}']).toBe(1);
  });
});

describe('a flow', () => {
  it('is counted when it opens and when it finishes, with its states, answers and thinking, and each round is an operation', async () => {
    let state = '';
    const opened = await change(async () => {
      state = stateOf(await router.tool('asking', {}));
    });
    expect(opened).toMatchObject({
      'roundhouse_flows_total{outcome="opened"}': 1,
      roundhouse_request_state_size_bytes_count: 1,
    });
    const [kid] = router.parts.keyset.report().keys.map((key) => key.kid);
    expect(opened[`roundhouse_request_state_seals_total{kid="${kid}"}`]).toBe(1);
    expect(await change(() => router.tool('asking', {}, { retry: retry(state) }))).toEqual({
      [server(`tools/call",gen_ai_tool_name="asking",${REST}`)]: 1,
      [client(`tools/call",gen_ai_tool_name="asking",server_address="${address()}"}`)]: 1,
      roundhouse_added_latency_seconds_count: 1,
      'roundhouse_sli_requests_total{outcome="good"}': 1,
      'roundhouse_flows_total{outcome="finished"}': 1,
      'roundhouse_flows_open{age="1m"}': -1,
      'roundhouse_mrtr_rounds_count{gen_ai_tool_name="asking"}': 1,
      roundhouse_mrtr_think_time_seconds_count: 1,
      'roundhouse_mrtr_answers_total{action="accept"}': 1,
      [`roundhouse_request_state_opens_total{kid="${kid}",role="primary",outcome="ok"}`]: 1,
    });
  });

  it('that is told again is neither finished again nor claimed anew', async () => {
    const state = stateOf(await router.tool('once', {}));
    const first = await change(() => router.tool('once', {}, { retry: retry(state) }));
    expect(first).toMatchObject({
      'roundhouse_replay_claims_total{outcome="new"}': 1,
      'roundhouse_flows_total{outcome="finished"}': 1,
    });
    const again = await change(() => router.tool('once', {}, { retry: retry(state) }));
    expect(again['roundhouse_replay_claims_total{outcome="done"}']).toBe(1);
    expect(again['roundhouse_flows_total{outcome="finished"}']).toBeUndefined();
  });

  it.each([
    ['nonsense', () => 'nonsense', 'role="none",outcome="malformed"'],
    ['a state under a key that we never had', () => `v1.${'A'.repeat(100)}`, 'role="none",outcome="unknown_key"'],
  ])('counts %s without a key', async (_what, stateFor, labels) => {
    const added = await change(() => router.tool('asking', {}, { retry: retry(stateFor()) }));
    expect(added[`roundhouse_request_state_opens_total{${labels}}`]).toBe(1);
  });

  it('counts a state that was tampered with for its key', async () => {
    const state = stateOf(await router.tool('asking', {}));
    const [kid] = router.parts.keyset.report().keys.map((key) => key.kid);
    const tampered = `${state.slice(0, -4)}${state.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    const added = await change(() => router.tool('asking', {}, { retry: retry(tampered) }));
    expect(added[`roundhouse_request_state_opens_total{kid="${kid}",role="primary",outcome="auth"}`]).toBe(1);
  });

  it('counts a state of somebody else for what it is', async () => {
    const state = stateOf(await router.tool('asking', {}, { principal: 'alice' }));
    const added = await change(() => router.tool('asking', {}, { retry: retry(state), principal: 'mallory' }));
    expect(Object.keys(added).filter((name) => name.includes('outcome="principal"'))).toHaveLength(1);
  });
});

describe('the router', () => {
  it('shows what it holds', async () => {
    const page = await read();
    const shown = [
      'roundhouse_inflight_requests',
      'roundhouse_worker_endpoints{group="w0",state="ready"}',
      'roundhouse_worker_endpoints{group="w0",state="ejected"}',
      `roundhouse_worker_inflight{group="w0",endpoint="${address()}"}`,
      'roundhouse_catalogue_entries{group="w0",kind="tools"}',
      'roundhouse_catalogue_divergence{group="w0"}',
      'roundhouse_catalogue_shadowed{group="w0"}',
      'roundhouse_keyset_keys{role="primary"}',
      'roundhouse_streams_active{kind="listen"}',
      'roundhouse_streams_active{kind="call"}',
      'roundhouse_build_info{service="router",version="0.1.0"}',
    ].map((name) => page.get(name));
    expect(shown).toEqual([0, 1, 0, 0, 7, 0, 0, 1, 0, 0, 1]);
  });

  it('measures a subscription when it has ended, and not as an operation', async () => {
    const added = await change(async () => {
      const { signal, abort } = abortable();
      const response = await fetch(`http://127.0.0.1:${router.port}/mcp`, { method: 'POST', signal, ...listen() });
      expect(response.status).toBe(200);
      expect((await read()).get('roundhouse_streams_active{kind="listen"}')).toBe(1);
      abort();
      while ((await read()).get('roundhouse_streams_active{kind="listen"}') !== 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
    });
    expect(added).toEqual({
      'roundhouse_sli_requests_total{outcome="good"}': 1,
      'roundhouse_subscription_duration_seconds_count{reason="client_gone"}': 1,
    });
  });

  it('forgets the series of a tool that left', async () => {
    await router.tool('plain', {});
    const has = async (): Promise<number> =>
      [...(await read()).keys()].filter((name) => name.includes('"plain"')).length;
    expect(await has()).toBeGreaterThan(0);
    worker.catalogue = { ...worker.catalogue, tools: worker.catalogue.tools.slice(1), hash: 'another-catalogue-hash' };
    worker.changes.next({ kind: 'catalogue', hash: 'another-catalogue-hash' });
    while (router.parts.catalogue.snapshot.tool('plain') !== undefined)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await has()).toBe(0);
  });
});

describe('a router that measures nothing', () => {
  it('has no page of metrics, and serves', async () => {
    const quiet = await RouterUnderTest.start([], (config) => ({
      ...config,
      admin: { host: '127.0.0.1', port: 0 },
      metrics: { enabled: false },
    }));
    expect((await fetch(`http://127.0.0.1:${quiet.adminPort}/metrics`)).status).toBe(404);
    expect((await quiet.call('server/discover', {})).status).toBe(200);
    await quiet.stop();
  });
});

function abortable(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

function listen(): { readonly headers: Record<string, string>; readonly body: string } {
  const method = 'subscriptions/listen';
  return {
    headers: standardHeaders(method, {}),
    body: JSON.stringify(modernMessage(method, { notifications: { toolsListChanged: true } })),
  };
}
