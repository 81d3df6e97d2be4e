/**
 * An append-only list of what was really done, one JSON object a line. Replicas share a ledger file: a line is one
 * write with O_APPEND, so lines of two processes never mix. Whoever counts executions counts its lines.
 */
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface LedgerLine {
  /** When it was done, ISO 8601. */
  readonly at: string;
  readonly flowId: string;
  /** Names the confirmed round: the same for every delivery of it. */
  readonly idempotencyKey?: string;
  readonly [member: string]: unknown;
}

export interface Ledger {
  append(line: LedgerLine): Promise<void>;
  /** All lines in their order; one that is torn or foreign is left out. */
  read(): Promise<readonly LedgerLine[]>;
}

export class MemoryLedger implements Ledger {
  private readonly lines: LedgerLine[] = [];

  async append(line: LedgerLine): Promise<void> {
    this.lines.push(line);
  }

  async read(): Promise<readonly LedgerLine[]> {
    return [...this.lines];
  }
}

export class FileLedger implements Ledger {
  constructor(private readonly path: string) {}

  /** Resolves when the line is on the disk. */
  async append(line: LedgerLine): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    const file = await open(this.path, 'a');
    try {
      await file.write(`${JSON.stringify(line)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async read(): Promise<readonly LedgerLine[]> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    return text.split('\n').flatMap(parseLine);
  }
}

/** In the directory that replicas share; without one in this process. */
export function openLedger(directory: string | undefined, name: string): Ledger {
  return directory === undefined ? new MemoryLedger() : new FileLedger(join(directory, name));
}

function parseLine(line: string): LedgerLine[] {
  if (line === '') return [];
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null && 'at' in parsed && 'flowId' in parsed
      ? [parsed as LedgerLine]
      : [];
  } catch {
    return [];
  }
}
