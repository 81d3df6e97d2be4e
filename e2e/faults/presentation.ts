/**
 * One request of the load and what became of it. Each goes on a connection of its own; some clients leave while they wait,
 * some answers are cut on the way, and no request waits for ever.
 */
import { createHash } from 'node:crypto';
import { sendRaw, beginRaw, type RawReply, type RawRequest } from '../harness/raw-client.js';
import { toHttp, toReply, type Json, type McpCall, type McpReply } from '../harness/mcp-request.js';
import { retry } from '../harness/flow.js';
import type { AnswerClass, Way } from './history.js';

/** What a call of the load is: its label is the nonce's name in the history, `ms` how long the run takes. */
export interface RunOrder {
  readonly label: string;
  readonly ms: number;
}

export interface Route {
  readonly port: number;
  readonly withinMs: number;
  /** The client is gone after so many milliseconds. */
  readonly leavesAfterMs?: number | undefined;
}

export interface Answer {
  readonly answer: AnswerClass;
  readonly body?: string;
  readonly note?: string;
}

const INVALID_PARAMS = -32602;
const UNAVAILABLE = 503;
const PRINCIPAL = 'faults';

/** The state of a new flow; undefined when none arrived. */
export async function mint(order: RunOrder, route: Route): Promise<string | undefined> {
  const reply = await send(toCall(order), route).catch(() => undefined);
  const { resultType, requestState } = reply?.response.result ?? {};
  return resultType === 'input_required' ? requestState : undefined;
}

export async function present(attempt: RunOrder & { state: string; way: Way }, route: Route): Promise<Answer> {
  const { state, way } = attempt;
  try {
    return toAnswer(await send(retry(toCall(attempt), state, { way: toResponse(way) }), route));
  } catch (error) {
    return { answer: 'lost', note: (error as NodeJS.ErrnoException).code ?? 'no answer in time' };
  }
}

function toCall({ label, ms }: RunOrder): McpCall {
  return { method: 'tools/call', principal: PRINCIPAL, params: { name: 'confirm_run', arguments: { label, ms } } };
}

function toResponse(way: Way): Json {
  return way === 'decline' ? { action: 'decline' } : { action: 'accept', content: { way } };
}

async function send(call: McpCall, { port, withinMs, leavesAfterMs }: Route): Promise<McpReply> {
  const request = { port, withinMs, ...toHttp(call) };
  return toReply(await (leavesAfterMs === undefined ? sendRaw(request) : leave(request, leavesAfterMs)));
}

/** Never resolves: whoever has left hears nothing. */
function leave(request: RawRequest, afterMs: number): Promise<RawReply> {
  const { outgoing } = beginRaw(request);
  return new Promise((_resolve, reject) => {
    setTimeout(() => {
      outgoing.destroy();
      reject(Object.assign(new Error('the client left'), { code: 'LEFT' }));
    }, afterMs);
  });
}

function toAnswer({ status, response: { result, error } }: McpReply): Answer {
  if (result?.resultType === 'complete') return { answer: 'success', body: digest(result) };
  // A round without questions: whoever sends the same again, is served.
  if (result !== undefined) return { answer: 'later', note: 'input_required' };
  const note = error?.message ?? 'neither result nor error';
  if (status === UNAVAILABLE) return { answer: 'later', note };
  if (error?.data?.['reason'] === 'outcome_unknown') return { answer: 'unknown' };
  const isStateRefused = error?.code === INVALID_PARAMS && error.data?.['reason'] === 'invalid_request_state';
  return isStateRefused ? { answer: 'refused' } : { answer: 'failed', note: `${error?.code ?? status} ${note}` };
}

/** The result's members keep their order through JSON, so equal digests are equal bytes. */
function digest(result: object): string {
  return createHash('sha256').update(JSON.stringify(result)).digest('base64url').slice(0, 16);
}
