/**
 * The two reference tools as scenarios use them: notes to delete and money to transfer, the answers a person gives, and
 * what the workers' own ledgers say was really done.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, McpCall } from './mcp-request.js';

export interface LedgerLine {
  readonly at: string;
  readonly flowId: string;
  readonly idempotencyKey?: string;
  readonly note?: string;
  readonly cents?: number;
  readonly label?: string;
}

export interface Folder {
  readonly folder: string;
}

export const accept = (content: Json): Json => ({ action: 'accept', content });

/** A note of its own, so that scenarios do not take each other's; the title finds it and no other. */
export class Note {
  readonly id: string;

  constructor(
    private readonly cluster: Folder,
    readonly title: string,
    readonly principal = 'alice',
  ) {
    this.id = `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.md`;
    mkdirSync(join(this.file, '..'), { recursive: true });
    writeFileSync(this.file, `# ${title}\n\nTo be deleted.\n`);
  }

  get exists(): boolean {
    return existsSync(this.file);
  }

  /** The call in its first round. */
  get call(): McpCall {
    const args = { workspaceUri: 'file:///srv/notes', title: this.title };
    return { method: 'tools/call', principal: this.principal, params: { name: 'notes_delete', arguments: args } };
  }

  get confirmation(): Json {
    return { delete_choice: accept({ note_id: this.id, confirm: true }) };
  }

  /** Lines of the ledger that say this note was deleted. */
  get deletions(): LedgerLine[] {
    return readLedger(join(this.cluster.folder, 'notes', 'notes-deleted.jsonl')).filter(({ note }) => note === this.id);
  }

  private get file(): string {
    return join(this.cluster.folder, 'notes', 'srv', 'notes', this.id);
  }
}

/** A transfer from the example account to the landlord; amounts tell transfers of one ledger apart. */
export class Transfer {
  constructor(
    private readonly cluster: Folder,
    readonly cents: number,
    readonly principal = 'alice',
  ) {}

  get call(): McpCall {
    const args = { fromAccount: 'checking', toAccount: 'landlord', amount: this.cents / 100 };
    return { method: 'tools/call', principal: this.principal, params: { name: 'bank_transfer', arguments: args } };
  }

  /** Answers by the key of their question. */
  readonly answers: Readonly<Record<string, Json>> = {
    confirm: accept({ confirm: true }),
    account_digits: accept({ last_four: '4711' }),
    method: accept({ method: 'wallet' }),
  };

  get transfers(): LedgerLine[] {
    return readLedger(join(this.cluster.folder, 'bank', 'transfers.jsonl')).filter(({ cents }) => cents === this.cents);
  }
}

/** Labels of the runs of `confirm_run` that a worker began, one for each run. */
export function readRuns(directory: string): string[] {
  return readLedger(join(directory, 'runs.jsonl')).map(({ label = '' }) => label);
}

function readLedger(file: string): LedgerLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LedgerLine);
}
