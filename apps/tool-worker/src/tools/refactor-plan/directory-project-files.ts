/**
 * Projects below one directory that replicas share. Symbolic links are neither listed nor followed, on the way as little
 * as at the end: the real path of a file decides whether it lies in the scope, right before it is opened.
 */
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsence, isBelow, readRealFolder } from '../../workspace/real-folder.js';
import type { Workspace } from '../../workspace/workspace-access.js';
import { FILES_LISTED_MAX, ProjectFiles, SOURCE_BYTES_MAX, isSourceName, type CreateOutcome } from './project-files.js';

/** Deeper sources are generated, or somebody is trying how deep we go. */
const DEPTH_MAX = 8;
/** Folders looked into in one call. */
const FOLDERS_MAX = 500;
const PASSED_OVER = new Set(['node_modules', 'dist', 'out', 'vendor']);
const MODE = 0o644;

export class DirectoryProjectFiles extends ProjectFiles {
  constructor(private readonly directory: string) {
    super();
  }

  async list(workspace: Workspace): Promise<readonly string[]> {
    const scope = await readRealFolder(this.directory, workspace);
    if (scope === undefined) return [];
    const found: string[] = [];
    const open = [''];
    for (let looked = 0; open.length > 0 && looked < FOLDERS_MAX; looked += 1) {
      const folder = open.shift() ?? '';
      for (const entry of await readEntries(join(scope, folder))) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isFile() && isSourceName(entry.name)) found.push(path);
        else if (entry.isDirectory() && isPlainFolder(entry.name) && depthOf(path) < DEPTH_MAX) open.push(path);
      }
    }
    return found.sort().slice(0, FILES_LISTED_MAX);
  }

  async read(workspace: Workspace, path: string): Promise<string | undefined> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const scope = await readRealFolder(this.directory, workspace);
    if (scope === undefined || !isSourceName(name)) return undefined;
    try {
      const real = await realpath(join(scope, path));
      // A link on the way would make them differ, wherever it leads.
      if (real !== join(scope, path) || !isBelow(real, scope)) return undefined;
      const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const stat = await file.stat();
        return stat.isFile() && stat.size <= SOURCE_BYTES_MAX ? await file.readFile('utf8') : undefined;
      } finally {
        await file.close();
      }
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  }

  async create(workspace: Workspace, name: string, text: string): Promise<CreateOutcome> {
    const scope = await readRealFolder(this.directory, workspace);
    if (scope === undefined) return 'gone';
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    try {
      const file = await open(join(scope, name), flags, MODE);
      try {
        await file.writeFile(text);
      } finally {
        await file.close();
      }
      return 'written';
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'exists';
      if (isAbsence(error)) return 'gone';
      throw error;
    }
  }
}

/** A folder that went away or became a link meanwhile is empty. */
async function readEntries(folder: string) {
  try {
    const entries = (await realpath(folder)) === folder ? await readdir(folder, { withFileTypes: true }) : [];
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

function isPlainFolder(name: string): boolean {
  return !name.startsWith('.') && !PASSED_OVER.has(name);
}

function depthOf(path: string): number {
  return path.split('/').length;
}
