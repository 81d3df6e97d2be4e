import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallRequest } from '@roundhouse/contracts';
import { SpecFlow, SpecWorker, textsOf } from '@roundhouse/worker-kit/testing';
import { FileLedger } from '../../ledger/ledger.js';
import { DRAFTS_LEDGER_FILE, DraftsModule } from './drafts.module.js';
import { DraftDeleteTool } from './tool.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drafts-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const parts = () => ({ tools: [DraftDeleteTool], imports: [DraftsModule.inDirectory(directory)] });
const flowOf = (draft: unknown, base: Partial<CallRequest> = {}) =>
  new SpecFlow(parts, 'draft_delete', { body: JSON.stringify({ draft }), idempotencyKey: 'key-1', ...base });
const confirm = (yes: boolean) => ({ confirm: { action: 'accept', content: { confirm: yes } } });
const deletions = () => new FileLedger(join(directory, DRAFTS_LEDGER_FILE)).read();
const user = (subject: string) => ({ principal: { kind: 'user' as const, issuer: 'development', subject } });

describe('draft_delete', () => {
  it('asks, and deletes on another replica once it is confirmed', async () => {
    const flow = flowOf('welcome');
    expect(await flow.next()).toMatchObject({
      asks: { confirm: { params: { message: 'Delete the draft “Welcome letter”?' } } },
    });
    expect(textsOf(await flow.next(confirm(true)))).toEqual(['The draft was deleted.']);
    expect(await deletions()).toMatchObject([{ draft: 'welcome', idempotencyKey: 'key-1' }]);
    expect(textsOf(await flowOf('welcome').next())).toEqual(['There is no such draft. Nothing was deleted.']);
  });

  it.each([
    ['decline', { confirm: { action: 'decline' } }, 'Nothing was deleted (decline).'],
    ['cancel', { confirm: { action: 'cancel' } }, 'Nothing was deleted (cancel).'],
    ['accept without the check mark', confirm(false), 'Nothing was deleted: it was not confirmed.'],
  ])('deletes nothing on %s', async (_, answers, said) => {
    const flow = flowOf('welcome');
    await flow.next();
    expect(textsOf(await flow.next(answers))).toEqual([said]);
    expect(await deletions()).toEqual([]);
  });

  it.each([
    ['no content', { action: 'accept' }],
    ['a text for the check mark', { action: 'accept', content: { confirm: 'true' } }],
    ['an answer to something else', { action: 'accept', content: { confirm: true, also: 'memo' } }],
    ['an action nobody knows', { action: 'agree', content: { confirm: true } }],
  ])('does not take %s for consent', async (_, answer) => {
    const flow = flowOf('welcome');
    await flow.next();
    expect((await flow.next({ confirm: answer })).kind).toBe('input_required');
    expect(await deletions()).toEqual([]);
  });

  it('says that the draft went while the person thought', async () => {
    const flow = flowOf('welcome');
    await flow.next();
    const other = flowOf('welcome', { idempotencyKey: 'key-2' });
    await other.next();
    await other.next(confirm(true));
    expect(textsOf(await flow.next(confirm(true)))).toEqual(['There is no such draft. Nothing was deleted.']);
    expect(await deletions()).toHaveLength(1);
  });

  it('does not delete the draft of another, nor tell that there is one', async () => {
    for (const base of [{}, user('alice')]) {
      const said = textsOf(await flowOf('memo', base).next());
      expect(said).toEqual(textsOf(await flowOf('nowhere', base).next()));
    }
    expect((await flowOf('memo', user('stationmaster')).next()).kind).toBe('input_required');
  });

  it.each([undefined, 5, 'x'.repeat(65), ['welcome']])('refuses %j for a draft', async (draft) => {
    expect(textsOf(await flowOf(draft).next())[0]).toMatch(/^Invalid arguments/);
  });

  it.each(['__proto__', 'constructor', '../welcome', ''])('knows no draft %j', async (draft) => {
    expect(textsOf(await flowOf(draft).next())).toEqual(['There is no such draft. Nothing was deleted.']);
  });

  it('does not ask a client without forms', async () => {
    expect(await flowOf('welcome', { clientCapabilities: { elicitation: { url: {} } } }).next()).toMatchObject({
      code: 'missing_capability',
      requiredCapabilities: { elicitation: { form: {} } },
    });
  });

  it('is declared as what it is, with everything in the process', async () => {
    const worker = await SpecWorker.start({ tools: [DraftDeleteTool], imports: [DraftsModule.inDirectory(undefined)] });
    expect(worker.controller.describe().tools).toMatchObject([{ name: 'draft_delete', singleUse: true }]);
  });
});
