/**
 * Load from wrk: one thread, keep-alive connections, the same request again and again as fast as it is answered. A run
 * with a failed connection, a refusal or an answer of another size than expected is no measurement.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { HttpRequest } from './requests.js';
import { runToEnd } from './run-to-end.js';

const SCRIPT = fileURLToPath(new URL('./wrk.lua', import.meta.url));
const INSTALL = 'apt-get install -y --no-install-recommends wrk';
export const CONNECTIONS = 32;

export interface Load {
  readonly port: number;
  readonly request: HttpRequest;
  /** Bytes of one whole answer, head included. */
  readonly replyBytes: number;
  readonly connections?: number;
  readonly seconds: number;
}

export interface LoadDone {
  readonly count: number;
  readonly perS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface WrkSummary {
  readonly count: number;
  readonly durationUs: number;
  readonly bytes: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly failures: number;
  readonly refusals: number;
}

export async function putLoad({
  port,
  request,
  replyBytes,
  connections = CONNECTIONS,
  seconds,
}: Load): Promise<LoadDone> {
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', SCRIPT];
  const headers = request.headers.map(([name, value]) => `${name}: ${value}`);
  const output = await runToEnd('wrk', [...flags, `http://127.0.0.1:${port}/mcp`, '--', request.body, ...headers]);
  const summary = JSON.parse(output.slice(output.lastIndexOf('\n{') + 1)) as WrkSummary;
  assertSound(summary, replyBytes, connections);
  const { count, durationUs, p50Us, p99Us } = summary;
  return { count, perS: count / (durationUs / 1e6), p50Ms: p50Us / 1e3, p99Ms: p99Us / 1e3 };
}

function assertSound({ count, bytes, failures, refusals }: WrkSummary, replyBytes: number, connections: number): void {
  if (count === 0) throw new Error('wrk got no answer');
  if (failures > 0) throw new Error(`wrk counted ${failures} failed or late requests`);
  if (refusals > 0) throw new Error(`wrk counted ${refusals} answers that are not 2xx`);
  // One answer on each connection may have come in part when wrk stopped: in its bytes, but not in its count.
  if (Math.abs(bytes - count * replyBytes) > connections * replyBytes)
    throw new Error(`${count} answers had ${bytes} bytes in all instead of ${replyBytes} each`);
}

/** Finds wrk, or installs Debian's package where that is allowed; otherwise says what to run. */
export async function ensureWrk(): Promise<void> {
  if (isThere()) return;
  if (process.getuid?.() !== 0) throw new Error(`wrk is not installed. Run as root: apt-get update && ${INSTALL}`);
  process.stdout.write('wrk is not installed: apt-get installs it\n');
  await runToEnd('apt-get', ['update', '-q']);
  await runToEnd('apt-get', INSTALL.split(' ').slice(1));
  if (!isThere()) throw new Error(`wrk is still not on PATH after ${INSTALL}`);
}

function isThere(): boolean {
  return spawnSync('wrk', ['-v'], { stdio: 'ignore' }).error === undefined;
}
