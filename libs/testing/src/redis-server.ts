/**
 * A real redis-server for one test file: on a free loopback port, set up as production has to be (a log, no eviction),
 * in a folder of its own that goes with it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askRedis } from './ask-redis.js';
import { findFreePort } from './free-ports.js';
import { ensureRedisBinary } from './redis-binary.js';

/** Time limit for the hook that starts a server: the server may have to be installed first. */
export const REDIS_START_TIMEOUT_MS = 180_000;
/** A server answers within about 40 ms of its start; ten seconds allow for a busy machine. */
const PING_WITHIN_MS = 10_000;
const PING_EVERY_MS = 10;
const STOP_WITHIN_MS = 2_000;
/** Between choosing a free port and using it somebody else may take it. */
const PORT_ATTEMPTS = 5;

/** Looked for once, so that it is also announced once. */
let binaryFound: Promise<string> | undefined;

export interface RedisServerOptions {
  /** A fixed port, for a server that comes back where its clients look for it. */
  readonly port?: number;
  /** Further arguments: `['--requirepass', password]`. */
  readonly args?: readonly string[];
  /** Where its log lies and stays, for a server that comes back with its data. */
  readonly directory?: string;
  /** Runs as a Sentinel with this file, which it rewrites. */
  readonly sentinelFile?: string;
}

export interface RunningRedis {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** SIGTERM, then SIGKILL; resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Starts a server and resolves when it answers. Installs Debian's package where it may; otherwise says what to run. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RunningRedis> {
  binaryFound ??= ensureRedisBinary({ env: process.env, isRoot: process.getuid?.() === 0 });
  const binary = await binaryFound;
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await findFreePort());
    const server = launch(binary, port, options);
    const problem = await untilAnswering(server, port);
    if (problem === undefined) return server;
    await server.stop();
    if (attempt === PORT_ATTEMPTS) throw new Error(`redis-server did not start on 127.0.0.1:${port}: ${problem}`);
  }
}

interface LaunchedRedis extends RunningRedis {
  readonly child: ChildProcess;
}

const KEPT = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'no', '--repl-diskless-sync-delay', '0'];

function launch(binary: string, port: number, options: RedisServerOptions): LaunchedRedis {
  const { args = [], directory, sentinelFile } = options;
  const folder = directory ?? mkdtempSync(join(tmpdir(), 'redis-'));
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const role = sentinelFile === undefined ? KEPT : ['--sentinel'];
  const child = spawn(binary, [...(sentinelFile === undefined ? [] : [sentinelFile]), ...place, ...role, ...args], {
    stdio: 'ignore',
  });
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => {
    process.removeListener('exit', killAtExit);
    if (directory === undefined) rmSync(folder, { recursive: true, force: true });
  });
  return { child, port, url: `redis://127.0.0.1:${port}`, pid: child.pid ?? -1, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const lastResort = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(lastResort);
}

/** Undefined when the server answers, otherwise why it does not. */
async function untilAnswering({ child }: LaunchedRedis, port: number): Promise<string | undefined> {
  const deadline = performance.now() + PING_WITHIN_MS;
  while (performance.now() < deadline) {
    if (hasEnded(child)) return `it exited with ${child.exitCode ?? child.signalCode}`;
    if (await answersPing(port)) return undefined;
    await new Promise((resolve) => setTimeout(resolve, PING_EVERY_MS));
  }
  return `no answer to PING within ${PING_WITHIN_MS} ms`;
}

/** A server that wants a password is up too; one that still loads is not. */
async function answersPing(port: number): Promise<boolean> {
  const reply = await askRedis(port, 'PING').catch(() => '');
  return /^(\+PONG|-NOAUTH)/.test(reply);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
