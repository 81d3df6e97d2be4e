/**
 * Notes as Markdown files below one directory, which all replicas share. Only plain files with plain names are notes, and
 * a symbolic link is neither a note nor a way to one.
 */
import { constants } from 'node:fs';
import { open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ledger } from '../../ledger/ledger.js';
import { isAbsence, readRealFolder } from '../../workspace/real-folder.js';
import type { Workspace } from '../../workspace/workspace-access.js';
import {
  NoteStore,
  chosenOf,
  hasTitle,
  toNote,
  type Deletion,
  type DeletionOutcome,
  type Note,
  type Selection,
} from './note-store.js';

const NOTE_FILE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\.md$/;
/** Files looked at in one workspace: what one call may read. */
const NOTES_MAX = 1_000;
/** A larger file is no note of a person. */
const NOTE_BYTES_MAX = 1024 * 1024;

export class FileNoteStore extends NoteStore {
  constructor(
    private readonly directory: string,
    private readonly ledger: Ledger,
  ) {
    super();
  }

  async find(workspace: Workspace, title: string): Promise<Note[]> {
    const folder = await readRealFolder(this.directory, workspace);
    if (folder === undefined) return [];
    const names = (await readdir(folder)).filter((name) => NOTE_FILE.test(name)).sort();
    const found: Note[] = [];
    for (const name of names.slice(0, NOTES_MAX)) {
      const note = await readNote(folder, name);
      if (note !== undefined && hasTitle(note, title)) found.push(note);
    }
    return found;
  }

  /** The unlink is claim and deletion in one: of two replicas only one sees it succeed. */
  async delete(workspace: Workspace, selection: Selection, deletion: Deletion): Promise<DeletionOutcome> {
    const note = chosenOf(selection);
    if (note === undefined) return 'not offered';
    const folder = await readRealFolder(this.directory, workspace);
    const live = folder === undefined || !NOTE_FILE.test(note.id) ? undefined : await readNote(folder, note.id);
    if (folder === undefined || live === undefined) return 'gone';
    if (live.digest !== note.digest) return 'changed';
    const wasThere = await unlink(join(folder, note.id)).then(
      () => true,
      (error: unknown) => (isAbsence(error) ? false : Promise.reject(error as Error)),
    );
    if (!wasThere) return 'gone';
    const { flowId, idempotencyKey } = deletion;
    await this.ledger.append({
      at: new Date().toISOString(),
      flowId,
      ...(idempotencyKey && { idempotencyKey }),
      workspace: workspace.path.join('/'),
      note: note.id,
    });
    return 'deleted';
  }
}

async function readNote(folder: string, name: string): Promise<Note | undefined> {
  try {
    const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: Infinity }));
      return size > NOTE_BYTES_MAX ? undefined : toNote(name, await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
