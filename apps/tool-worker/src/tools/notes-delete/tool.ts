/**
 * Deletes one note after a person chose it from those that match and confirmed. The router runs a confirmed round at
 * most once; the store lets one deleter win even if it did not.
 */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, boolean, form, oneOf } from '@roundhouse/worker-kit';
import { NoteStore, type DeletionOutcome, type Note } from './note-store.js';
import { WorkspaceAccess, type Workspace } from '../../workspace/workspace-access.js';

/** Candidates in one form: a person should read them all. */
const CANDIDATES_MAX = 20;
/** Of a title, in characters: it is somebody's text in our question. */
const TITLE_SHOWN_CHARS_MAX = 120;

const NotesDelete = z.object({
  workspaceUri: z.string().max(2_048).describe('file:// URI of the workspace that holds the note'),
  title: z.string().trim().min(1).max(200).describe('Title of the note, or a part of it'),
});
type NotesDelete = z.output<typeof NotesDelete>;

const OUTCOME: Readonly<Record<DeletionOutcome, string>> = {
  deleted: 'The note was deleted.',
  gone: 'The note is already gone. Nothing was deleted.',
  'not offered': 'The chosen note was not one of those offered. Nothing was deleted.',
  changed: 'The note has changed since it was offered. Nothing was deleted.',
};

@Injectable()
export class NotesDeleteTool {
  constructor(
    private readonly access: WorkspaceAccess,
    private readonly notes: NoteStore,
  ) {}

  @Tool({
    name: 'notes_delete',
    title: 'Delete a note',
    description:
      'Finds notes by title in a workspace, asks which one to delete, and deletes it once that is confirmed.',
    input: NotesDelete,
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    singleUse: true,
  })
  async delete({ workspaceUri, title }: NotesDelete, call: Call): Promise<string> {
    const workspace = this.access.open(call.principal, workspaceUri);
    const offered = await call.step('matches', () => this.findCandidates(workspace, title));
    if (offered.length === 0) return 'No note with this title was found. Nothing was deleted.';
    if (offered.length > CANDIDATES_MAX)
      return `More than ${CANDIDATES_MAX} notes have this in their title. Nothing was deleted; ask for a longer part of the title.`;
    const choice = await call.ask('delete_choice', toQuestion(offered));
    if (choice.action === 'decline') return 'Deleting was declined. Nothing was deleted.';
    if (choice.action === 'cancel') return 'The question was closed without an answer. Nothing was deleted.';
    if (!choice.content.confirm) return 'Deleting was not confirmed. Nothing was deleted.';
    call.signal.throwIfAborted();
    const { flowId, idempotencyKey } = call;
    const selection = { offered, id: choice.content.note_id };
    return OUTCOME[await this.notes.delete(workspace, selection, { flowId, idempotencyKey })];
  }

  /** One more than can be shown, which is how too many is told from enough. */
  private async findCandidates(workspace: Workspace, title: string): Promise<Note[]> {
    const found = await this.notes.find(workspace, title);
    return found.slice(0, CANDIDATES_MAX + 1);
  }
}

function toQuestion(offered: readonly Note[]) {
  const choices = offered.map(({ id, title }) => ({ value: id, title: `${toShown(title)} (${id})` }));
  return form('Which note should be deleted? This cannot be undone.', {
    note_id: oneOf(choices, { title: 'Note' }),
    confirm: boolean({ title: 'Delete this note for good', default: false }),
  });
}

/** Controls and invisible marks, among them those that turn the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function toShown(title: string): string {
  return title.replace(UNSEEN, ' ').slice(0, TITLE_SHOWN_CHARS_MAX).toWellFormed();
}
