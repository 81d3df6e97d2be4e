/** The requests that are measured, and what each must be answered with. */
import assert from 'node:assert/strict';
import { toHttp, type Json, type McpCall } from '../harness/mcp-request.js';

export type HttpRequest = ReturnType<typeof toHttp>;

export interface MeasuredRequest {
  readonly request: HttpRequest;
  /** Throws unless this is the whole and right answer. */
  assertAnswer(body: unknown): void;
}

const ECHO_CALL = toHttp({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } });
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

function resultIn(body: unknown): Json {
  const { result, ...envelope } = body as { readonly result?: Json };
  assert.deepEqual(envelope, { jsonrpc: '2.0', id: 1 });
  assert.ok(result !== undefined);
  return result;
}

/** A tool that asks once and runs once; with 0 ms nothing but the flow itself takes time. */
const CONFIRM: McpCall = { id: 1, method: 'tools/call', params: { name: 'confirm_wait', arguments: { ms: 0 } } };
export const FLOW_ANSWER = 'Waited 0 ms.';
const STATE_PLACE = '@state@';

export const FLOW_FIRST = toHttp(CONFIRM);

/** The second round, cut where the state of the first goes. */
export function flowRetry(): {
  readonly headers: HttpRequest['headers'];
  readonly before: string;
  readonly after: string;
} {
  const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
  const params = { ...CONFIRM.params, requestState: STATE_PLACE, inputResponses };
  const { headers, body } = toHttp({ ...CONFIRM, id: 2, params });
  const [before = '', after = ''] = body.split(STATE_PLACE);
  return { headers, before, after };
}
