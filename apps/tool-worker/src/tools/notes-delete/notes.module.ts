/** The notes and who may use them: in the process, or in a directory or a database that replicas share. */
import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import type { ToolWorkerConfig } from '../../config.js';
import { FileLedger } from '../../ledger/ledger.js';
import { WorkspaceAccess } from '../../workspace/workspace-access.js';
import { FileNoteStore } from './file-note-store.js';
import { MemoryNoteStore, NoteStore } from './note-store.js';
import { PostgresNoteStore } from './postgres-note-store.js';

/** Lies beside the workspaces, never inside one. */
export const NOTES_LEDGER_FILE = 'notes-deleted.jsonl';

@Module({})
export class NotesModule {
  static forConfig(config: ToolWorkerConfig['notes']): DynamicModule {
    return {
      module: NotesModule,
      providers: [
        { provide: WorkspaceAccess, useValue: new WorkspaceAccess(config.grants) },
        { provide: NoteStore, useValue: openStore(config) },
      ],
      exports: [WorkspaceAccess, NoteStore],
    };
  }
}

function openStore({ directory, database }: ToolWorkerConfig['notes']): NoteStore {
  if (database !== undefined) return new PostgresNoteStore(database);
  if (directory === undefined) return new MemoryNoteStore();
  return new FileNoteStore(directory, new FileLedger(join(directory, NOTES_LEDGER_FILE)));
}
