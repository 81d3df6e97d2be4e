/**
 * Finds a PostgreSQL to test against, or installs Debian's. A test that needs one never skips: where there is none and
 * none can be installed, the error names the command a person has to run.
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installDebianPackage } from './debian-package.js';
import { findOnPath, isExecutable } from './executables.js';

const run = promisify(execFile);

/** Where Debian's packages put each major version; nothing of it is on PATH. */
export const DEBIAN_VERSIONS = '/usr/lib/postgresql';

export interface PostgresSearch {
  /** Reads `POSTGRES_BIN` (a folder that wins) and `PATH`. */
  readonly env: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
  /** A folder with a folder for each version: Debian's, unless a spec says otherwise. */
  readonly versions?: string;
}

/** Folder that holds `initdb` and `postgres`. Writes one line to standard error about which one it is. */
export async function ensurePostgresBinaries(search: PostgresSearch): Promise<string> {
  const found = findPostgresBinaries(search);
  const folder = found ?? (await installPostgres(search));
  const { stdout } = await run(join(folder, 'postgres'), ['--version']);
  const version = /(\d+(\.\d+)*)/.exec(stdout)?.[1] ?? stdout.trim();
  const whence = found === undefined ? ' (installed for this test run)' : '';
  process.stderr.write(`postgres ${version} at ${folder}${whence}\n`);
  return folder;
}

export function findPostgresBinaries({ env, versions = DEBIAN_VERSIONS }: PostgresSearch): string | undefined {
  const chosen = env['POSTGRES_BIN'];
  if (chosen !== undefined && chosen !== '') {
    if (!isComplete(chosen)) throw new Error(`POSTGRES_BIN names ${chosen}, which has no initdb and postgres to run`);
    return chosen;
  }
  const onPath = findOnPath('initdb', env)?.replace(/\/initdb$/, '');
  return [...newestFirst(versions), ...(onPath === undefined ? [] : [onPath])].find(isComplete);
}

async function installPostgres(search: PostgresSearch): Promise<string> {
  const { env, isRoot } = search;
  await installDebianPackage({
    name: 'postgresql',
    isThere: `ls ${DEBIAN_VERSIONS}/*/bin/postgres`,
    otherwise: 'or set POSTGRES_BIN to the folder of its programs.',
    env,
    isRoot,
  });
  const installed = findPostgresBinaries(search);
  if (installed === undefined)
    throw new Error(`The package postgresql was installed, but not below ${DEBIAN_VERSIONS}`);
  return installed;
}

function newestFirst(versions: string): string[] {
  try {
    const numbers = readdirSync(versions).filter((name) => /^\d+$/.test(name));
    return numbers.sort((one, other) => Number(other) - Number(one)).map((name) => join(versions, name, 'bin'));
  } catch {
    return [];
  }
}

function isComplete(folder: string): boolean {
  return ['initdb', 'postgres'].every((name) => isExecutable(join(folder, name)));
}
