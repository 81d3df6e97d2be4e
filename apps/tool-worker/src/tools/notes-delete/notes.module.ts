/** The notes and who may use them: in the process, or in a directory that replicas share. */
import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import type { ToolWorkerConfig } from '../../config.js';
import { FileLedger } from '../../ledger/ledger.js';
import { FileNoteStore } from './file-note-store.js';
import { MemoryNoteStore, NoteStore } from './note-store.js';
import { WorkspaceAccess } from '../../workspace/workspace-access.js';

/** Lies beside the workspaces, never inside one. */
export const NOTES_LEDGER_FILE = 'notes-deleted.jsonl';

@Module({})
export class NotesModule {
  static forConfig({ directory, grants }: ToolWorkerConfig['notes']): DynamicModule {
    const store =
      directory === undefined
        ? new MemoryNoteStore()
        : new FileNoteStore(directory, new FileLedger(join(directory, NOTES_LEDGER_FILE)));
    return {
      module: NotesModule,
      providers: [
        { provide: WorkspaceAccess, useValue: new WorkspaceAccess(grants) },
        { provide: NoteStore, useValue: store },
      ],
      exports: [WorkspaceAccess, NoteStore],
    };
  }
}
