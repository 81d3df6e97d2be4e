/**
 * Sends the same call at a fixed rate, whatever is answered, from a process of its own. Usage: flood.ts PORT PRINCIPAL
 * PER_SECOND SECONDS; prints how many replies there were of each status as JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { toHttp } from '../harness/mcp-request.js';
import { KeepAliveConnection, bodyText, headText } from './keep-alive-connection.js';

const CONNECTIONS = 64;
const TICK_MS = 5;

const [port = 0, principal = '', perSecond = 0, seconds = 0] = process.argv
  .slice(2)
  .map((text, at) => (at === 1 ? text : Number(text))) as [number, string, number, number];

const { headers, body } = toHttp({
  method: 'tools/call',
  params: { name: 'echo', arguments: { message: 'flood' } },
  principal,
});
const bytes = headText(port, headers) + bodyText(body);
const idle: KeepAliveConnection[] = [];
const counts: Record<string, number> = {};
for (let at = 0; at < CONNECTIONS; at += 1) idle.push(await KeepAliveConnection.open(port));

const beganMs = performance.now();
let sent = 0;
for (;;) {
  const elapsedMs = performance.now() - beganMs;
  if (elapsedMs > seconds * 1_000) break;
  // What no connection is free for is sent later: the rate is an upper bound.
  for (const due = (elapsedMs * perSecond) / 1_000; sent < due; sent += 1) {
    const connection = idle.pop();
    if (connection === undefined) break;
    connection.send(bytes, (reply) => {
      const status = reply.slice(9, 12);
      counts[status] = (counts[status] ?? 0) + 1;
      idle.push(connection);
    });
  }
  await sleep(TICK_MS);
}
process.stdout.write(JSON.stringify(counts), () => process.exit(0));
