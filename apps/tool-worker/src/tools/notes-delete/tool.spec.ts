import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpecFlow, SpecWorker, textsOf, toRequest } from '@roundhouse/worker-kit/testing';
import { FileLedger } from '../../ledger/ledger.js';
import { MemoryNoteStore } from './note-store.js';
import { NOTES_LEDGER_FILE, NotesModule } from './notes.module.js';
import { NotesDeleteTool } from './tool.js';
import { WorkspaceAccess } from '../../workspace/workspace-access.js';

const workspaceUri = 'file:///srv/notes';
let directory: string;
let folder: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'notes-'));
  folder = join(directory, 'srv', 'notes');
  mkdirSync(folder, { recursive: true });
  write('friday.md', '# Meeting notes\nFriday\n');
  write('monday.md', '# Meeting notes\nMonday\n');
  write('shopping.md', '# Shopping list\n');
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const parts = () => ({
  tools: [NotesDeleteTool],
  imports: [NotesModule.forConfig({ directory, grants: [{ subject: 'alice', workspaces: [workspaceUri] }] })],
});
const alice = { kind: 'user' as const, issuer: 'development', subject: 'alice' };
const flowOf = (args: Record<string, unknown>, principal: typeof alice | { kind: 'anonymous' } = alice) =>
  new SpecFlow(parts, 'notes_delete', { body: JSON.stringify(args), principal, idempotencyKey: 'key-1' });
const choose = (note_id: string, confirm = true) => ({
  delete_choice: { action: 'accept', content: { note_id, confirm } },
});
const left = () => readdirSync(folder).sort();
const executions = () => new FileLedger(join(directory, NOTES_LEDGER_FILE)).read();

describe('notes_delete', () => {
  it('offers the notes that match and deletes the chosen one, each round on another replica', async () => {
    const flow = flowOf({ workspaceUri, title: 'meeting' });
    expect(await flow.next()).toMatchObject({
      kind: 'input_required',
      asks: {
        delete_choice: {
          params: {
            requestedSchema: {
              properties: {
                note_id: {
                  oneOf: [
                    { const: 'friday.md', title: 'Meeting notes (friday.md)' },
                    { const: 'monday.md', title: 'Meeting notes (monday.md)' },
                  ],
                },
                confirm: { type: 'boolean', default: false },
              },
              required: ['note_id', 'confirm'],
            },
          },
        },
      },
    });
    expect(textsOf(await flow.next(choose('monday.md')))).toEqual(['The note was deleted.']);
    expect(left()).toEqual(['friday.md', 'shopping.md']);
    expect(await executions()).toMatchObject([{ note: 'monday.md', idempotencyKey: 'key-1' }]);
  });

  it('asks also when one note matches', async () => {
    expect((await flowOf({ workspaceUri, title: 'shopping' }).next()).kind).toBe('input_required');
  });

  it('says plainly that nothing matches', async () => {
    expect(textsOf(await flowOf({ workspaceUri, title: 'nowhere' }).next())).toEqual([
      'No note with this title was found. Nothing was deleted.',
    ]);
  });

  it('does not offer more than a person reads', async () => {
    for (let index = 0; index < 21; index += 1) write(`n${index}.md`, '# Many\n');
    expect(textsOf(await flowOf({ workspaceUri, title: 'many' }).next())[0]).toContain('More than 20 notes');
  });

  it.each([
    ['decline', { delete_choice: { action: 'decline' } }, 'Deleting was declined. Nothing was deleted.'],
    [
      'cancel',
      { delete_choice: { action: 'cancel' } },
      'The question was closed without an answer. Nothing was deleted.',
    ],
    ['accept without the check mark', choose('monday.md', false), 'Deleting was not confirmed. Nothing was deleted.'],
    ['a note that exists but was not offered', choose('shopping.md'), undefined],
    ['a path', choose('../../private.md'), undefined],
  ])('deletes nothing on %s', async (_, answers, said) => {
    const flow = flowOf({ workspaceUri, title: 'meeting' });
    await flow.next();
    const reply = await flow.next(answers);
    // What was not offered breaks the form: the worker takes it for no answer, or refuses it by name.
    if (said !== undefined) expect(textsOf(reply)).toEqual([said]);
    else expect(JSON.stringify(reply)).not.toContain('was deleted."');
    expect(left()).toHaveLength(3);
    expect(await executions()).toEqual([]);
  });

  it.each([
    ['is gone', () => rmSync(join(folder, 'monday.md')), 'The note is already gone. Nothing was deleted.'],
    [
      'has changed',
      () => write('monday.md', '# Meeting notes\nMonday, and Tuesday\n'),
      'The note has changed since it was offered. Nothing was deleted.',
    ],
  ])('looks again right before and deletes nothing when the note %s', async (_, change, said) => {
    const flow = flowOf({ workspaceUri, title: 'meeting' });
    await flow.next();
    change();
    expect(textsOf(await flow.next(choose('monday.md')))).toEqual([said]);
    expect(await executions()).toEqual([]);
  });

  it('offers what it found first, not what came later', async () => {
    const flow = flowOf({ workspaceUri, title: 'meeting' });
    await flow.next();
    write('later.md', '# Meeting notes\n');
    await flow.next(choose('later.md'));
    expect(left()).toContain('later.md');
  });

  it.each([
    'file:///srv/notes-evil/x',
    'file:///srv/notes/%2e%2e/private.md',
    'file:///srv/notes/%252e%252e/private.md',
    'file:///srv/notes/..%5c..',
    'file:///srv/notes%00',
    'file://host/srv/notes',
    'file:///srv/notes?x',
    'file:///srv/notes#x',
    'file:///etc',
    'not a uri',
  ])('refuses the workspace %s', async (uri) => {
    expect(textsOf(await flowOf({ workspaceUri: uri, title: 'meeting' }).next())).toEqual([
      'This workspace is not available to you.',
    ]);
  });

  it('refuses who may not use the workspace, also in the second round', async () => {
    expect(textsOf(await flowOf({ workspaceUri, title: 'meeting' }, { kind: 'anonymous' }).next())[0]).toContain(
      'not available',
    );
    let grants = [{ subject: 'alice', workspaces: [workspaceUri] }];
    const changing = () => ({ tools: [NotesDeleteTool], imports: [NotesModule.forConfig({ directory, grants })] });
    const flow = new SpecFlow(changing, 'notes_delete', {
      body: JSON.stringify({ workspaceUri, title: 'meeting' }),
      principal: alice,
    });
    await flow.next();
    grants = [];
    expect(textsOf(await flow.next(choose('monday.md')))[0]).toContain('not available');
    expect(left()).toHaveLength(3);
  });

  it('does not ask a client without forms', async () => {
    const worker = await SpecWorker.start(parts());
    const body = JSON.stringify({ workspaceUri, title: 'meeting' });
    const reply = await worker.reply(toRequest('notes_delete', { body, principal: alice, clientCapabilities: {} }));
    expect(reply).toMatchObject({ code: 'missing_capability', requiredCapabilities: { elicitation: { form: {} } } });
  });

  it.each([
    {},
    { workspaceUri },
    { workspaceUri, title: '' },
    { workspaceUri, title: '  ' },
    { workspaceUri: 5, title: 'x' },
  ])('refuses the arguments %j', async (args) => {
    expect(textsOf(await flowOf(args).next())[0]).toMatch(/^Invalid arguments/);
  });

  it('is declared as what it is', async () => {
    const worker = await SpecWorker.start(parts());
    const [entry] = worker.controller.describe().tools;
    expect(entry).toMatchObject({ name: 'notes_delete', singleUse: true });
    expect(JSON.parse(entry?.json ?? '')).toMatchObject({ annotations: { destructiveHint: true } });
  });

  it('shows titles of others without what could change the question', async () => {
    write('x.md', '# Odd \u202e\u0007title\n');
    const reply = await flowOf({ workspaceUri, title: 'odd' }).next();
    expect(JSON.stringify(reply)).toContain('Odd   title (x.md)');
  });
});

describe('the notes in the process', () => {
  it('are deleted once', async () => {
    const store = new MemoryNoteStore();
    const workspace = new WorkspaceAccess([{ subject: '*', workspaces: [workspaceUri] }]).open(
      { kind: 'anonymous' },
      workspaceUri,
    );
    const [note] = await store.find(workspace, 'shopping');
    if (note === undefined) throw new Error('the example note is missing');
    expect(await store.delete(workspace, { offered: [], id: note.id })).toBe('not offered');
    expect(await store.delete(workspace, { offered: [{ ...note, digest: 'other' }], id: note.id })).toBe('changed');
    expect(await store.delete(workspace, { offered: [note], id: note.id })).toBe('deleted');
    expect(await store.delete(workspace, { offered: [note], id: note.id })).toBe('gone');
    expect(await store.find(workspace, 'shopping')).toEqual([]);
  });
});
