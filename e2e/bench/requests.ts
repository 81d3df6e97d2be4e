/** The requests that are measured, and what each must be answered with. */
import assert from 'node:assert/strict';
import { toHttp, type Json, type McpCall } from '../harness/mcp-request.js';
import type { HeaderList } from '../harness/raw-client.js';

export type HttpRequest = ReturnType<typeof toHttp>;

export interface MeasuredRequest {
  readonly request: HttpRequest;
  /** Throws unless this is the whole and right answer. */
  assertAnswer(body: unknown): void;
}

const ECHO = { name: 'echo', arguments: { message: 'hello' } };
const ECHO_CALL = toHttp({ id: 1, method: 'tools/call', params: ECHO });
const LIST_CALL = toHttp({ id: 1, method: 'tools/list' });

/** What the bare server gives back: the request itself. */
export const ECHOED_BODY: MeasuredRequest = {
  request: ECHO_CALL,
  assertAnswer: (body) => assert.deepEqual(body, JSON.parse(ECHO_CALL.body)),
};

export const ECHO_TOOL: MeasuredRequest = {
  request: ECHO_CALL,
  assertAnswer: (body) => {
    const { content, resultType, ...rest } = resultIn(body);
    assert.deepEqual({ content, resultType }, { content: [{ type: 'text', text: 'hello' }], resultType: 'complete' });
    assert.deepEqual(Object.keys(rest), ['_meta']);
  },
};

/** wrk.lua counts up from it. */
const FIRST_ID = 1_000_000;

/** The same call as a client of 2025 sends it, each time with another id; the headers name its open session. */
export function legacyEcho(headers: HeaderList): MeasuredRequest {
  return {
    request: { headers, body: JSON.stringify({ jsonrpc: '2.0', id: FIRST_ID, method: 'tools/call', params: ECHO }) },
    assertAnswer: (body) => assert.deepEqual(resultIn(body, FIRST_ID), { content: [{ type: 'text', text: 'hello' }] }),
  };
}

/** The same request with more headers. */
export function withHeaders(measured: MeasuredRequest, headers: HeaderList): MeasuredRequest {
  const { request } = measured;
  return { ...measured, request: { ...request, headers: [...request.headers, ...headers] } };
}

export function toolsList(count: number): MeasuredRequest {
  return {
    request: LIST_CALL,
    assertAnswer: (body) => {
      const { tools, nextCursor } = resultIn(body);
      assert.ok(Array.isArray(tools) && nextCursor === undefined, 'a list on one page');
      assert.equal(tools.length, count);
    },
  };
}

function resultIn(body: unknown, id = 1): Json {
  const { result, ...envelope } = body as { readonly result?: Json };
  assert.deepEqual(envelope, { jsonrpc: '2.0', id });
  assert.ok(result !== undefined);
  return result;
}

const STATE_PLACE = '@state@';

/** A call of two rounds. The second is cut where the state of the first goes. */
export interface MeasuredFlow {
  readonly headers: HttpRequest['headers'];
  readonly first: string;
  readonly before: string;
  readonly after: string;
  /** What the last reply must contain. */
  readonly answer: string;
}

/** Both ask the same and do next to nothing then, so that nothing but the flow itself takes time. */
export const FLOWS = {
  /** Runs once for each confirmation: claimed at the replay service, settled there. */
  claimed: measuredFlow('confirm_wait', { arguments: { ms: 0 }, answer: 'Waited 0 ms.' }),
  /** May run again: the replay service never hears of it. */
  unclaimed: measuredFlow('confirm_echo', { arguments: { message: 'hello' }, answer: '"text":"hello"' }),
};
export type FlowKind = keyof typeof FLOWS;

function measuredFlow(
  name: string,
  { arguments: given, answer }: { readonly arguments: Json; readonly answer: string },
): MeasuredFlow {
  const call: McpCall = { id: 1, method: 'tools/call', params: { name, arguments: given } };
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
  const retry: McpCall = { ...call, id: 2, params: { ...call.params, requestState: STATE_PLACE, inputResponses } };
  const { headers, body } = toHttp(call);
  const [before = '', after = ''] = toHttp(retry).body.split(STATE_PLACE);
  return { headers, first: body, before, after, answer };
}
