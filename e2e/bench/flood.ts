/**
 * Sends the same call as one principal at a fixed rate, whatever is answered, as a process of its own. Prints at which
 * rate it was answered, and how much of that was refused.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { toHttp } from '../harness/mcp-request.js';
import { KeepAliveConnection, bodyText, headText } from './keep-alive-connection.js';

export interface FloodOrder {
  readonly port: number;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface FloodDone {
  readonly perS: number;
  /** From 0 to 1. */
  readonly refusedShare: number;
}

const CONNECTIONS = 64;
const TICK_MS = 1;
/** "HTTP/1.1 429". */
const STATUS_AT = 9;

const { port, perSecond, seconds } = JSON.parse(process.argv[2] ?? '') as FloodOrder;
const { headers, body } = toHttp({
  method: 'tools/call',
  params: { name: 'echo', arguments: { message: 'flood' } },
  principal: 'greedy',
});
const bytes = headText(port, headers) + bodyText(body);
const idle: KeepAliveConnection[] = [];
let answered = 0;
let refused = 0;
for (let at = 0; at < CONNECTIONS; at += 1) idle.push(await KeepAliveConnection.open(port));

const beganMs = performance.now();
let elapsedMs = 0;
for (let sent = 0; elapsedMs < seconds * 1_000; elapsedMs = performance.now() - beganMs) {
  // What no connection is free for is sent later: the rate is an upper bound.
  for (const due = (elapsedMs * perSecond) / 1_000; sent < due; sent += 1) {
    const connection = idle.pop();
    if (connection === undefined) break;
    connection.send(bytes, (reply) => {
      answered += 1;
      if (reply.startsWith('429', STATUS_AT)) refused += 1;
      idle.push(connection);
    });
  }
  await sleep(TICK_MS);
}
const done: FloodDone = { perS: answered / (elapsedMs / 1_000), refusedShare: refused / Math.max(1, answered) };
process.stdout.write(`${JSON.stringify(done)}\n`, () => process.exit(0));
