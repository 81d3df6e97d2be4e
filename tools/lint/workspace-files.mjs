// The files that are, or are about to be, under version control.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @returns {string[]} paths from the root, with forward slashes */
export function listFiles(root) {
  const listed = execFileSync(
    'git',
    ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}

const SOURCE = /^(apps|libs|e2e|tools)\/.*\.(ts|mjs)$/;

/** @returns {{ path: string, text: string }[]} our own code */
export function readSources(root, paths = listFiles(root)) {
  return paths
    .filter((path) => SOURCE.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
