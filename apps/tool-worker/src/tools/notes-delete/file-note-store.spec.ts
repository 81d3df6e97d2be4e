import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FileLedger } from '../../ledger/ledger.js';
import { FileNoteStore } from './file-note-store.js';
import type { Note } from './note-store.js';

const workspace = { root: ['srv', 'notes'], path: ['srv', 'notes'] };
const deletion = { flowId: 'flow-1', idempotencyKey: 'key-1' };
let directory: string;
let folder: string;

const ledger = () => new FileLedger(join(directory, 'ledger.jsonl'));
const replica = () => new FileNoteStore(directory, ledger());
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'notes-'));
  folder = join(directory, 'srv', 'notes');
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('finding notes', () => {
  it('goes by title, whatever its case, in the order of their ids', async () => {
    write('b.md', '# Team Meeting\n');
    write('a.md', 'meeting of monday\n');
    write('c.md', '# Shopping\n');
    const found = await replica().find(workspace, 'MEETING');
    expect(found.map(({ id, title }) => [id, title])).toEqual([
      ['a.md', 'meeting of monday'],
      ['b.md', 'Team Meeting'],
    ]);
  });

  it.each([
    ['a file without the ending', (path: string) => writeFileSync(`${path}.txt`, 'x')],
    ['a hidden file', () => write('.x.md', 'x')],
    ['a folder named like a note', (path: string) => mkdirSync(`${path}.md`)],
    ['a file that is too large', () => write('x.md', 'x'.repeat(1024 * 1024 + 1))],
    ['a link to a file outside', (path: string) => symlinkSync('/etc/hostname', `${path}.md`)],
    [
      'a link to a note inside',
      (path: string) => (write('.real', 'x'), symlinkSync(join(folder, '.real'), `${path}.md`)),
    ],
  ])('passes over %s', async (_, make) => {
    make(join(folder, 'x'));
    expect(await replica().find(workspace, 'x')).toEqual([]);
  });

  it('finds nothing where there is no folder', async () => {
    expect(await replica().find({ root: ['srv'], path: ['srv', 'nowhere'] }, 'x')).toEqual([]);
  });

  it.each([
    ['out of the directory', '/etc'],
    ['out of the granted workspace', '../private'],
  ])('does not follow a folder that is a link %s', async (_, target) => {
    mkdirSync(join(directory, 'srv', 'private'));
    writeFileSync(join(directory, 'srv', 'private', 'p.md'), 'x');
    symlinkSync(target, join(folder, 'team'));
    expect(await replica().find({ ...workspace, path: [...workspace.path, 'team'] }, '')).toEqual([]);
  });

  it('does not follow a granted workspace that leads out of the directory', async () => {
    symlinkSync('/etc', join(directory, 'srv', 'link'));
    expect(await replica().find({ root: ['srv', 'link'], path: ['srv', 'link'] }, '')).toEqual([]);
  });
});

describe('deleting a note', () => {
  const offer = async (): Promise<Note> => {
    write('a.md', '# A\n');
    const [note] = await replica().find(workspace, 'a');
    return note as Note;
  };

  it('removes the file and writes one line', async () => {
    const note = await offer();
    expect(await replica().delete(workspace, { offered: [note], id: note.id }, deletion)).toBe('deleted');
    expect(readdirSync(folder)).toEqual([]);
    expect(await ledger().read()).toMatchObject([{ ...deletion, workspace: 'srv/notes', note: 'a.md' }]);
  });

  it('is won by one of many replicas', async () => {
    const note = await offer();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => replica().delete(workspace, { offered: [note], id: note.id }, deletion)),
    );
    expect(outcomes.filter((outcome) => outcome === 'deleted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'gone')).toHaveLength(7);
    expect(await ledger().read()).toHaveLength(1);
  });

  it.each<[string, (note: Note) => void, string]>([
    ['that has changed', () => write('a.md', '# A\nmore\n'), 'changed'],
    [
      'that was replaced by a link',
      () => (rmSync(join(folder, 'a.md')), symlinkSync('/etc/hostname', join(folder, 'a.md'))),
      'gone',
    ],
    ['whose folder became a link', () => (rmSync(folder, { recursive: true }), symlinkSync('/etc', folder)), 'gone'],
  ])('%s leaves everything as it is', async (_, change, outcome) => {
    const note = await offer();
    change(note);
    expect(await replica().delete(workspace, { offered: [note], id: note.id }, deletion)).toBe(outcome);
    expect(await ledger().read()).toEqual([]);
  });

  it('that was not offered is refused, although it is there', async () => {
    const note = await offer();
    write('b.md', '# B\n');
    expect(await replica().delete(workspace, { offered: [note], id: 'b.md' }, deletion)).toBe('not offered');
    expect(readdirSync(folder)).toEqual(['a.md', 'b.md']);
  });

  it.each(['../../secret.md', 'a.txt', '', '.md'])('does not take %j for a note', async (id) => {
    writeFileSync(join(directory, 'secret.md'), '# A\n');
    const note = await offer();
    expect(await replica().delete(workspace, { offered: [{ ...note, id }], id }, deletion)).toBe('gone');
    expect(readdirSync(directory)).toContain('secret.md');
  });
});
