// The two programs of the check, which are no part of the workspace: where they are, or in words how to get them.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import '../ts-hook.mjs';

const { findOnPath } = await import('../../libs/testing/src/executables.ts');

const ADR = 'docs/adr/0011-a-real-api-server-is-asked-by-hand.md';

/** @throws when one is not there */
export function findPrograms({ apiserver, etcd = findOnPath('etcd', process.env) }) {
  assertProgram(apiserver, `kube-apiserver: ${ADR} says how to get one`);
  assertProgram(etcd, "etcd: install Debian's package etcd-server, or name one with --etcd");
  return { apiserver, etcd };
}

function assertProgram(path, wanted) {
  try {
    if (path === undefined) throw new Error('it is not on PATH');
    accessSync(path, constants.X_OK);
  } catch (error) {
    throw new Error(`this check needs a real ${wanted} (${error.message})`, { cause: error });
  }
}

export function versionOf(program) {
  const [first] = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.split('\n');
  return `${first} (${program})`;
}
