/** Rounds of one flow by hand: what a client has to do between an ask and the retry, and nothing more. */
import assert from 'node:assert/strict';
import { resultOf, sendMcp, type Json, type McpCall, type McpReply, type McpResult } from './mcp-request.js';

export interface Asked {
  readonly state: string;
  readonly inputRequests: NonNullable<McpResult['inputRequests']>;
}

/** Sends the call and expects to be asked. */
export async function ask(port: number, call: McpCall): Promise<Asked> {
  return askedBy(await sendMcp(port, call));
}

export function askedBy(reply: McpReply): Asked {
  const { resultType, inputRequests = {}, requestState } = resultOf(reply);
  assert.equal(resultType, 'input_required', reply.text);
  assert.ok(typeof requestState === 'string' && Object.keys(inputRequests).length > 0, reply.text);
  return { state: requestState, inputRequests };
}

/** The same call with a new id, the state and the answers beside its own parameters. */
export function retry(call: McpCall, requestState: unknown, inputResponses: unknown): McpCall {
  return { ...call, params: { ...call.params, requestState, inputResponses } };
}

/** Answers every ask of a flow until it is complete; a flow that asks for something else fails. */
export async function finish(port: number, call: McpCall, answers: Readonly<Record<string, Json>>): Promise<McpResult> {
  let reply = await sendMcp(port, call);
  for (let round = 1; resultOf(reply).resultType === 'input_required'; round += 1) {
    assert.ok(round < 10, 'a flow that ends');
    const { state, inputRequests } = askedBy(reply);
    reply = await sendMcp(port, retry(call, state, answersTo(inputRequests, answers)));
  }
  return resultOf(reply);
}

export function answersTo(inputRequests: Asked['inputRequests'], answers: Readonly<Record<string, Json>>): Json {
  const keys = Object.keys(inputRequests);
  for (const key of keys) assert.ok(key in answers, `an answer for ${key}`);
  return Object.fromEntries(keys.map((key) => [key, answers[key]]));
}

export function completed(reply: McpReply): string {
  const result = resultOf(reply);
  assert.equal(result.resultType, 'complete', reply.text);
  return (result.content ?? []).map(({ text = '' }) => text).join('\n');
}

/** Bytes of a reply without the one thing that differs between equal ones. */
export function withoutId({ text, response: { id } }: McpReply): string {
  return text.replace(`"id":${JSON.stringify(id)}`, '"id":_');
}

/** Which key sealed a state, by the id in front: the format says so in the open. */
export function kidOf(state: string): string {
  return Buffer.from(state.slice(state.indexOf('.') + 1), 'base64url').toString('hex', 0, 8);
}
