import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FileLedger, MemoryLedger } from './ledger.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ledger-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const line = (flowId: string) => ({ at: '2026-01-01T00:00:00.000Z', flowId });

describe.each([
  ['in the process', () => new MemoryLedger()],
  ['in a file', () => new FileLedger(join(directory, 'new', 'ledger.jsonl'))],
])('a ledger %s', (_, make) => {
  it('is empty at first and keeps the order of its lines', async () => {
    const ledger = make();
    expect(await ledger.read()).toEqual([]);
    await ledger.append(line('a'));
    await ledger.append({ ...line('b'), note: 'line\nfeed' });
    expect(await ledger.read()).toEqual([line('a'), { ...line('b'), note: 'line\nfeed' }]);
  });
});

describe('a ledger file', () => {
  it('never mixes the lines of several writers', async () => {
    const path = join(directory, 'ledger.jsonl');
    const writers = Array.from({ length: 20 }, (_, index) =>
      new FileLedger(path).append({ ...line(`f${index}`), pad: 'x'.repeat(2_000) }),
    );
    await Promise.all(writers);
    expect(
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((text) => (JSON.parse(text) as { pad: string }).pad.length),
    ).toEqual(Array(20).fill(2_000));
  });

  it.each(['{"at":"x","flo', 'null', '5', '{}', '[]'])('passes over the line %j', async (torn) => {
    const path = join(directory, 'ledger.jsonl');
    const ledger = new FileLedger(path);
    await ledger.append(line('a'));
    appendFileSync(path, `${torn}\n`);
    await ledger.append(line('b'));
    expect(await ledger.read()).toEqual([line('a'), line('b')]);
  });

  it('that cannot be read is an error, not an empty ledger', async () => {
    await expect(new FileLedger(directory).read()).rejects.toThrow('EISDIR');
  });
});
