import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpecFlow, textsOf } from '@roundhouse/worker-kit/testing';
import { FileLedger } from '../ledger/ledger.js';
import { RUNS_LEDGER_FILE, RecordedRunModule, RecordedRunTool } from './recorded-run.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'runs-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const parts = () => ({ tools: [RecordedRunTool], imports: [RecordedRunModule.inDirectory(directory)] });
const flow = () => new SpecFlow(parts, 'confirm_run', { body: '{"label":"first","ms":0}', idempotencyKey: 'key-1' });
const lines = () => new FileLedger(join(directory, RUNS_LEDGER_FILE)).read();
const go = (way: string) => ({ way: { action: 'accept', content: { way } } });

async function run(answers: Parameters<SpecFlow['next']>[0]): Promise<readonly string[]> {
  const each = flow();
  await each.next();
  return textsOf(await each.next(answers));
}

describe('confirm_run', () => {
  it('runs nothing before it was told which way', async () => {
    expect(await flow().next()).toMatchObject({ kind: 'input_required' });
    expect(await lines()).toEqual([]);
  });

  it('leaves one line that names the confirmation, and answers with the id of the run', async () => {
    const [text = ''] = await run(go('left'));
    const [line, ...more] = await lines();
    expect(line).toMatchObject({ label: 'first', flowId: 'flow-1', idempotencyKey: 'key-1' });
    expect(text).toBe(`Went left in run ${String(line?.['run'])}.`);
    expect(more).toEqual([]);
  });

  it('counts a second delivery of the same confirmation as a second run', async () => {
    const texts = [await run(go('left')), await run(go('left'))];
    expect(texts[0]).not.toEqual(texts[1]);
    expect(await lines()).toHaveLength(2);
  });

  it.each(['decline', 'cancel'])('does not run after %s', async (action) => {
    expect(await run({ way: { action } })).toEqual([`Not run (${action}).`]);
    expect(await lines()).toEqual([]);
  });
});
