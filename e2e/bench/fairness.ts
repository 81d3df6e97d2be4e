/**
 * Whether one principal at 100 times its rate is felt by another: the 99th percentile of one at its own rate, alone and
 * beside the other, in turns. Usage: node --import ./tools/ts-hook.mjs e2e/bench/fairness.ts [SECONDS]; ends with 1 when
 * the factor between the two medians is above 2. Needs a core for the flood besides those of the gateway.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../harness/cluster.js';
import { toHttp } from '../harness/mcp-request.js';
import { ROOT } from '../harness/workspace.js';
import { KeepAliveConnection, bodyText, headText } from './keep-alive-connection.js';
import { runToEnd } from './run-to-end.js';
import { median } from './statistics.js';

const PER_SECOND = 50;
const ROUNDS = 5;
const FACTOR_MAX = 2;
/** Above this the machine decides, not the gateway. */
const FLOOR_MS = 2;
const seconds = Number(process.argv[2] ?? 10);

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const cluster = await Cluster.start({
  name: 'bench/fairness',
  routers: 1,
  workers: 1,
  router: { logLevel: 'info' },
  policy: { limits: [{ name: 'each', perSecond: PER_SECOND, burst: 2 * PER_SECOND, concurrent: 16 }] },
});
try {
  const port = cluster.routers[0]?.port ?? 0;
  await p99Of(port, seconds);
  const alone: number[] = [];
  const beside: number[] = [];
  let counts = '';
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await p99Of(port, seconds));
    const flood = runToEnd(process.execPath, [
      ...['--import', './tools/ts-hook.mjs', `${ROOT}/e2e/bench/flood.ts`],
      ...[String(port), 'greedy', String(100 * PER_SECOND), String(seconds + 4)],
    ]);
    // The flood has to be under way.
    await sleep(2_000);
    beside.push(await p99Of(port, seconds));
    counts = await flood;
  }
  const [aloneMs, besideMs] = [Math.max(FLOOR_MS, median(alone)), median(beside)];
  const factor = besideMs / aloneMs;
  process.stdout.write(
    `p99 alone ${median(alone).toFixed(2)} ms, beside a flood ${besideMs.toFixed(2)} ms, factor ${factor.toFixed(2)}; the flood was answered ${counts}\n`,
  );
  process.exitCode = factor <= FACTOR_MAX ? 0 : 1;
} finally {
  await cluster.stop();
}

/** In milliseconds, of one caller that stays just below its rate. */
async function p99Of(port: number, forSeconds: number): Promise<number> {
  const { headers, body } = toHttp({
    method: 'tools/call',
    params: { name: 'echo', arguments: { message: 'modest' } },
    principal: 'modest',
  });
  const bytes = headText(port, headers) + bodyText(body);
  const connection = await KeepAliveConnection.open(port);
  const took: number[] = [];
  for (let at = 0; at < forSeconds * PER_SECOND * 0.8; at += 1) {
    const sentMs = performance.now();
    const status = await new Promise<string>((resolve) => {
      connection.send(bytes, (reply) => resolve(reply.slice(9, 12)));
    });
    const tookMs = performance.now() - sentMs;
    if (status !== '200') throw new Error(`the modest one was answered ${status}`);
    took.push(tookMs);
    await sleep(Math.max(0, 1_000 / (PER_SECOND * 0.8) - tookMs));
  }
  connection.end();
  took.sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.99)] ?? 0;
}
