/**
 * Finds a redis-server to test against, or installs Debian's. A test that needs Redis never skips: where there is none
 * and none can be installed, the error names the command a person has to run.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installDebianPackage } from './debian-package.js';
import { findOnPath, isExecutable } from './executables.js';

const run = promisify(execFile);

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
  await installDebianPackage({
    name: 'redis-server',
    isThere: 'command -v redis-server',
    otherwise: 'or set REDIS_SERVER to a redis-server 7 or valkey-server.',
    env,
    isRoot,
  });
  const installed = findRedisBinary(env);
  if (installed === undefined) throw new Error('The package redis-server was installed, but is not on PATH');
  return installed;
}
