/**
 * Notes of a workspace, as the tool needs them: find by title, delete one exactly as it was offered. This file holds
 * the store that lives in the process; `file-note-store.ts` and `postgres-note-store.ts` have those that replicas share.
 */
import { createHash } from 'node:crypto';
import type { Workspace } from '../../workspace/workspace-access.js';

export interface Note {
  readonly id: string;
  readonly title: string;
  /** SHA-256 of the content: tells whether this is still the note that was offered. */
  readonly digest: string;
}

/** Who deletes, for the ledger. */
export interface Deletion {
  readonly flowId: string;
  readonly idempotencyKey?: string | undefined;
}

/** The note a person chose, among all that were offered. */
export interface Selection {
  readonly offered: readonly Note[];
  readonly id: string;
}

export type DeletionOutcome = 'deleted' | 'gone' | 'changed' | 'not offered';

export abstract class NoteStore {
  /** Notes whose title contains the text, whatever its case, ordered by id. */
  abstract find(workspace: Workspace, title: string): Promise<Note[]>;

  /**
   * Deletes the note if it is one of those offered, is still there and is still what was offered, and checks that as
   * late as it can; of two callers with the same note one at most gets `deleted`.
   */
  abstract delete(workspace: Workspace, selection: Selection, deletion: Deletion): Promise<DeletionOutcome>;
}

export function chosenOf({ offered, id }: Selection): Note | undefined {
  return offered.find((note) => note.id === id);
}

export function toNote(id: string, content: string | Buffer): Note {
  const [first = ''] = content.toString('utf8').split('\n', 1);
  const title = first.replace(/^#+\s*/, '').trim();
  return { id, title: title === '' ? id : title, digest: createHash('sha256').update(content).digest('base64url') };
}

export function hasTitle(note: Note, title: string): boolean {
  return note.title.normalize('NFC').toLowerCase().includes(title.normalize('NFC').toLowerCase());
}

/** Path of a workspace → file name → content. */
export type SeededNotes = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const SEEDED_NOTES: SeededNotes = {
  'srv/notes': {
    'meeting-friday.md': '# Meeting notes\n\nFriday: the signal box gets a new roof.\n',
    'meeting-monday.md': '# Meeting notes\n\nMonday: the turntable is oiled.\n',
    'shopping.md': '# Shopping list\n\nCoal, water, sandwiches.\n',
  },
};

export class MemoryNoteStore extends NoteStore {
  private readonly folders: ReadonlyMap<string, Map<string, string>>;

  constructor(seeded: SeededNotes = SEEDED_NOTES) {
    super();
    this.folders = new Map(Object.entries(seeded).map(([path, notes]) => [path, new Map(Object.entries(notes))]));
  }

  async find({ path }: Workspace, title: string): Promise<Note[]> {
    const notes = [...(this.folders.get(path.join('/')) ?? [])].map(([id, content]) => toNote(id, content));
    return notes.filter((note) => hasTitle(note, title)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async delete({ path }: Workspace, selection: Selection): Promise<DeletionOutcome> {
    const note = chosenOf(selection);
    if (note === undefined) return 'not offered';
    const folder = this.folders.get(path.join('/'));
    const content = folder?.get(note.id);
    if (folder === undefined || content === undefined) return 'gone';
    if (toNote(note.id, content).digest !== note.digest) return 'changed';
    folder.delete(note.id);
    return 'deleted';
  }
}
