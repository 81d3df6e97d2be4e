/**
 * Installs a Debian package for tests that need its programs. They never skip: where a package cannot be installed, the
 * error names the command a person has to run.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findOnPath } from './executables.js';

const run = promisify(execFile);

/** A download over a slow link; beyond that something is stuck. */
const INSTALL_TIMEOUT_MS = 170_000;

export interface DebianPackage {
  readonly name: string;
  /** A shell command that succeeds when it is there: another process may have installed it meanwhile. */
  readonly isThere: string;
  readonly env: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
  /** What a person may do instead, for the error. */
  readonly otherwise: string;
}

export async function installDebianPackage({ name, isThere, env, isRoot, otherwise }: DebianPackage): Promise<void> {
  const command = `apt-get update && apt-get install -y --no-install-recommends ${name}`;
  const missing = (cause?: unknown): Error => {
    const words = isRoot ? command : `sudo sh -c '${command}'`;
    return new Error(`There is no ${name}, and these tests need a real one. Run: ${words}\n${otherwise}`, { cause });
  };
  if (!isRoot || findOnPath('apt-get', env) === undefined) throw missing();
  // Test processes start side by side; the package manager works for one at a time.
  const lock = `/tmp/roundhouse-${name}-install.lock`;
  try {
    await run('flock', [lock, 'sh', '-c', `${isThere} || { ${command}; }`], {
      timeout: INSTALL_TIMEOUT_MS,
      // In runlevel 1 the package starts no service.
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    });
  } catch (cause) {
    throw missing(cause);
  }
}
