/**
 * A real PostgreSQL for one test file: on a free loopback port, with a password, in a folder of its own that goes with
 * it. It refuses to run as root, so root runs it as another user.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePostgresBinaries } from './postgres-binaries.js';
import { findFreePort } from './free-ports.js';

const run = promisify(execFile);

/** Time limit for the hook that starts a server: it may have to be installed first. */
export const POSTGRES_START_TIMEOUT_MS = 200_000;
/** A cluster is made in about two seconds; ten times that allow for a busy machine. */
const READY_WITHIN_MS = 20_000;
const ASK_EVERY_MS = 20;
const STOP_WITHIN_MS = 5_000;
/** Between choosing a free port and using it somebody else may take it. */
const PORT_ATTEMPTS = 5;
const LOG_TAIL_CHARS = 1_000;
/** Whom root runs it as: Debian's own user for it, or the one that owns nothing. */
const USERS = ['postgres', 'nobody'];

/** Looked for once, so that it is also announced once. */
let binariesFound: Promise<string> | undefined;

export interface PostgresServerOptions {
  /** Further settings: `['-c', 'max_connections=5']`. */
  readonly args?: readonly string[];
}

export interface RunningPostgres {
  /** Without the password. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly password: string;
  /** Ends connections, then the server; resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Starts a server and resolves when it answers. Installs Debian's package where it may; otherwise says what to run. */
export async function startPostgresServer({ args = [] }: PostgresServerOptions = {}): Promise<RunningPostgres> {
  binariesFound ??= ensurePostgresBinaries({ env: process.env, isRoot: process.getuid?.() === 0 });
  const binaries = await binariesFound;
  const cluster = await makeCluster(binaries);
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const server = launch(binaries, port, { cluster, args });
    const problem = await untilAnswering(server.child, port);
    if (problem === undefined) return server;
    await stop(server.child);
    if (attempt < PORT_ATTEMPTS) continue;
    const log = readFileSync(cluster.log, 'utf8').slice(-LOG_TAIL_CHARS);
    rmSync(cluster.folder, { recursive: true, force: true });
    throw new Error(`postgres did not start on 127.0.0.1:${port}: ${problem}\n${log}`);
  }
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

interface PostgresCluster {
  readonly folder: string;
  readonly log: string;
  readonly password: string;
  readonly owner: Owner;
}

/** Passwords are asked for as in production; nothing is synced to the disk, since all of it is thrown away. */
async function makeCluster(binaries: string): Promise<PostgresCluster> {
  const owner = await findOwner();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const password = randomBytes(12).toString('base64url');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner.uid !== undefined && owner.gid !== undefined) {
    for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
  }
  const options = ['--username', 'postgres', '--auth', 'scram-sha-256', '--pwfile', passwordFile, '--encoding', 'UTF8'];
  await run(join(binaries, 'initdb'), ['-D', join(folder, 'data'), '--no-sync', '--no-locale', ...options], {
    ...owner,
    cwd: folder,
  });
  return { folder, password, owner, log: join(folder, 'log') };
}

/** Nobody else unless we are root. */
async function findOwner(): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  for (const user of USERS) {
    const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, user]))).catch(() => undefined);
    const [uid, gid] = (ids ?? []).map(({ stdout }) => Number(stdout));
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user ${USERS.join(' or ')}`);
}

interface Launch {
  readonly cluster: PostgresCluster;
  readonly args: readonly string[];
}

function launch(
  binaries: string,
  port: number,
  { cluster: { folder, password, owner, log }, args }: Launch,
): RunningPostgres & { readonly child: ChildProcess } {
  const place = ['-D', join(folder, 'data'), '-p', String(port), '-c', 'listen_addresses=127.0.0.1'];
  const settings = ['-c', 'unix_socket_directories=', '-c', 'fsync=off', '-c', 'logging_collector=off'];
  // Through a shell, which opens the log as the server's own user and is replaced by it.
  const script = 'log=$1; shift; exec "$@" >>"$log" 2>&1';
  const command = [join(binaries, 'postgres'), ...place, ...settings, ...args];
  const child = spawn('sh', ['-c', script, 'sh', log, ...command], { stdio: 'ignore', cwd: folder, ...owner });
  // Immediate: it ends its own children too, as SIGKILL would not.
  const killAtExit = (): void => void child.kill('SIGQUIT');
  process.once('exit', killAtExit);
  const stopAndClear = async (): Promise<void> => {
    await stop(child);
    process.removeListener('exit', killAtExit);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return { child, port, url, password, pid: child.pid ?? -1, stop: stopAndClear };
}

/** Fast, which does not wait for clients; then immediate. */
async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  const lastResort = setTimeout(() => child.kill('SIGQUIT'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(lastResort);
}

/** Undefined when the server answers, otherwise why it does not. */
async function untilAnswering(child: ChildProcess, port: number): Promise<string | undefined> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    if (hasEnded(child)) return `it exited with ${child.exitCode ?? child.signalCode}`;
    if (await isAccepting(port)) return undefined;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  return `no answer within ${READY_WITHIN_MS} ms`;
}

/** A server that starts says so in an error (57P03); one that is ready asks for a password (`R`). */
function isAccepting(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(startupMessage()));
    const settle = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.once('data', (reply) => settle(reply.toString('latin1', 0, 1) === 'R'));
  });
}

/** Protocol 3.0: length, version, parameters as C strings, and an empty one. */
function startupMessage(): Buffer {
  const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, parameters]);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
