/** Asks a target once before it is measured: its answer has to be right, and its size is what every later one must have. */
import assert from 'node:assert/strict';
import { within } from '../harness/until.js';
import { KeepAliveConnection, bodyText, headText } from './keep-alive-connection.js';
import type { MeasuredRequest } from './requests.js';

const ANSWER_WITHIN_MS = 10_000;

/** Bytes of the whole answer, head included. */
export async function probe(port: number, { request, assertAnswer }: MeasuredRequest): Promise<number> {
  const connection = await KeepAliveConnection.open(port);
  const answer = new Promise<string>((resolve, reject) => {
    connection.failOn(reject).send(headText(port, request.headers) + bodyText(request.body), resolve);
  });
  const reply = await within(answer, { what: `an answer from port ${port}`, withinMs: ANSWER_WITHIN_MS });
  connection.end();
  assert.ok(reply.startsWith('HTTP/1.1 200 '), reply);
  assertAnswer(JSON.parse(reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1)));
  return reply.length;
}
