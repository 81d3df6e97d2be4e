/**
 * Notes in PostgreSQL. One transaction claims the confirmation, locks the live note, holds it against what was offered
 * and deletes it: either all of that happened, once, or nothing did.
 */
import type { OnModuleDestroy } from '@nestjs/common';
import { confirmationOf } from '../../ledger/first-line.js';
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
import { PostgresNotes, type DatabaseConfig, type Query } from './postgres-notes.js';

/** Notes looked at in one workspace: what one call may read. */
const NOTES_MAX = 1_000;

/** Ends the transaction without a trace, and says why. */
class NotDeleted extends Error {
  constructor(readonly outcome: Exclude<DeletionOutcome, 'deleted'>) {
    super(outcome);
  }
}

export class PostgresNoteStore extends NoteStore implements OnModuleDestroy {
  private readonly notes: PostgresNotes;

  constructor(config: DatabaseConfig) {
    super();
    this.notes = new PostgresNotes(config);
  }

  async onModuleDestroy(): Promise<void> {
    await this.notes.close();
  }

  async find({ path }: Workspace, title: string): Promise<Note[]> {
    const rows = await this.notes.transaction(async (query) => {
      const found = await query.query<{ id: string; content: string }>(
        'SELECT id, content FROM roundhouse_notes WHERE workspace = $1 ORDER BY id COLLATE "C" LIMIT $2',
        [path.join('/'), NOTES_MAX],
      );
      return found.rows;
    });
    return rows.map(({ id, content }) => toNote(id, content)).filter((note) => hasTitle(note, title));
  }

  async delete({ path }: Workspace, selection: Selection, deletion: Deletion): Promise<DeletionOutcome> {
    const workspace = path.join('/');
    try {
      return await this.notes.transaction<DeletionOutcome>(async (query) => {
        const note = chosenOf(selection);
        if (note === undefined) throw new NotDeleted('not offered');
        await claim(query, { workspace, note: note.id, deletion });
        await assertUnchanged(query, workspace, note);
        await query.query('DELETE FROM roundhouse_notes WHERE workspace = $1 AND id = $2', [workspace, note.id]);
        return 'deleted';
      });
    } catch (error) {
      if (error instanceof NotDeleted) return error.outcome;
      throw error;
    }
  }
}

interface Claimed {
  readonly workspace: string;
  readonly note: string;
  readonly deletion: Deletion;
}

/** A twin of the same confirmation waits here until the first has ended; then there is nothing left to do. */
async function claim(query: Query, { workspace, note, deletion }: Claimed): Promise<void> {
  const { rowCount } = await query.query(
    `INSERT INTO roundhouse_note_deletions (confirmation, workspace, note, flow_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (confirmation) DO NOTHING`,
    [confirmationOf(deletion), workspace, note, deletion.flowId],
  );
  if (rowCount !== 1) throw new NotDeleted('gone');
}

async function assertUnchanged(query: Query, workspace: string, note: Note): Promise<void> {
  const { rows } = await query.query<{ content: string }>(
    'SELECT content FROM roundhouse_notes WHERE workspace = $1 AND id = $2 FOR UPDATE',
    [workspace, note.id],
  );
  const live = rows[0];
  if (live === undefined) throw new NotDeleted('gone');
  if (toNote(note.id, live.content).digest !== note.digest) throw new NotDeleted('changed');
}
