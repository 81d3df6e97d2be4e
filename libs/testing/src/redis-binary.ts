/**
 * Finds a redis-server to test against, or installs Debian's. A test that needs Redis never skips: where there is none
 * and none can be installed, the error names the command a person has to run.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findOnPath, isExecutable } from './executables.js';

const run = promisify(execFile);

const APT_COMMAND = 'apt-get update && apt-get install -y --no-install-recommends redis-server';
/** A download over a slow link; beyond that something is stuck. */
const INSTALL_TIMEOUT_MS = 170_000;
/** Test processes start side by side; the package manager works for one at a time. */
const INSTALL_LOCK = '/tmp/roundhouse-redis-install.lock';

export interface RedisBinarySearch {
  /** Reads `REDIS_SERVER` (a path that wins) and `PATH`. */
  readonly env: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
}

/** Path of a redis-server that can be run. Writes one line to standard error about which one it is. */
export async function ensureRedisBinary(search: RedisBinarySearch): Promise<string> {
  const found = findRedisBinary(search.env);
  const binary = found ?? (await installRedis(search));
  const { stdout } = await run(binary, ['--version']);
  const version = /v=(\S+)/.exec(stdout)?.[1] ?? stdout.trim();
  process.stderr.write(
    `redis-server ${version} at ${binary}${found === undefined ? ' (installed for this test run)' : ''}\n`,
  );
  return binary;
}

export function findRedisBinary(env: NodeJS.ProcessEnv): string | undefined {
  const chosen = env['REDIS_SERVER'];
  if (chosen !== undefined && chosen !== '') {
    if (!isExecutable(chosen)) throw new Error(`REDIS_SERVER names ${chosen}, which cannot be run`);
    return chosen;
  }
  return findOnPath('redis-server', env);
}

async function installRedis({ env, isRoot }: RedisBinarySearch): Promise<string> {
  if (!isRoot || findOnPath('apt-get', env) === undefined)
    throw noRedis(isRoot ? APT_COMMAND : `sudo sh -c '${APT_COMMAND}'`);
  const script = `command -v redis-server || { ${APT_COMMAND}; }`;
  try {
    await run('flock', [INSTALL_LOCK, 'sh', '-c', script], {
      timeout: INSTALL_TIMEOUT_MS,
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (cause) {
    throw noRedis(APT_COMMAND, cause);
  }
  const installed = findRedisBinary(env);
  if (installed === undefined) throw noRedis(APT_COMMAND);
  return installed;
}

function noRedis(command: string, cause?: unknown): Error {
  const text = `There is no redis-server on PATH, and these tests need a real one. Run: ${command}\nor set REDIS_SERVER to a redis-server 7 or valkey-server.`;
  return new Error(text, { cause });
}
