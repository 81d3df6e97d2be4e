/**
 * The folder on disk that a workspace stands for, below one directory that replicas share: `file:///srv/notes` is
 * `<directory>/srv/notes`. Real paths decide, so a symbolic link leads nowhere it should not.
 */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Workspace } from './workspace-access.js';
import { isInside } from './workspace-uri.js';

/** The real folder; undefined when it is not there or really lies outside the granted workspace. */
export async function readRealFolder(directory: string, { root, path }: Workspace): Promise<string | undefined> {
  try {
    const base = await realpath(directory);
    const realRoot = await realpath(join(base, ...root));
    const real = await realpath(join(base, ...path));
    return isBelow(realRoot, base) && isBelow(real, realRoot) ? real : undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

export function isBelow(path: string, root: string): boolean {
  return isInside(path.split(sep), root.split(sep));
}

/** Not there, not a folder, or a symbolic link where none may be. */
export function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '');
}
