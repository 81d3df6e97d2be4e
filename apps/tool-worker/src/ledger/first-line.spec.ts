import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFirst, confirmationOf, toLine } from './first-line.js';
import { FileLedger, MemoryLedger, type LedgerLine } from './ledger.js';

const thing = (line: LedgerLine) => line['thing'] as string | undefined;
const line = (key: string, what = 'draft') => toLine({ flowId: 'flow', idempotencyKey: key }, { thing: what });

describe('of several lines that want one thing', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ledger-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('the first has it, however many replicas write at once', async () => {
    const replica = () => new FileLedger(join(directory, 'things.jsonl'));
    const won = await Promise.all(
      Array.from({ length: 8 }, (_, at) => appendFirst(replica(), line(`key-${at}`), thing)),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('a later one does not, and is not even written', async () => {
    const ledger = new MemoryLedger();
    expect(await appendFirst(ledger, line('key-1'), thing)).toBe(true);
    expect(await appendFirst(ledger, line('key-2'), thing)).toBe(false);
    expect(await ledger.read()).toHaveLength(1);
  });

  it('one of the same confirmation hears the same, and is not written again', async () => {
    const ledger = new MemoryLedger();
    expect(await appendFirst(ledger, line('key-1'), thing)).toBe(true);
    expect(await appendFirst(ledger, line('key-1'), thing)).toBe(true);
    expect(await ledger.read()).toHaveLength(1);
  });

  it('one that wants another thing is no rival', async () => {
    const ledger = new MemoryLedger();
    await appendFirst(ledger, line('key-1'), thing);
    expect(await appendFirst(ledger, line('key-2', 'memo'), thing)).toBe(true);
  });
});

describe('a confirmation', () => {
  it('is the confirmed round, and the flow only where nothing was claimed', () => {
    expect(confirmationOf({ flowId: 'f', idempotencyKey: 'k' })).toBe('k');
    expect(confirmationOf({ flowId: 'k' })).not.toBe('k');
  });
});
