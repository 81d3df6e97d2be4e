import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { POSTGRES_START_TIMEOUT_MS, startPostgresServer, type RunningPostgres } from '@roundhouse/testing';
import { SpecFlow, textsOf } from '@roundhouse/worker-kit/testing';
import { NoteStore, type Note } from './note-store.js';
import { NotesModule } from './notes.module.js';
import { PostgresNoteStore } from './postgres-note-store.js';
import { NotesDeleteTool } from './tool.js';

const workspace = { root: ['srv', 'notes'], path: ['srv', 'notes'] };
const workspaceUri = 'file:///srv/notes';
const deletion = { flowId: 'flow-1', idempotencyKey: 'key-1' };
let server: RunningPostgres;
let owner: pg.Client;
/** Who waits for whom is fixed for a whole transaction, so another connection has to look. */
let observer: pg.Client;
const opened: PostgresNoteStore[] = [];

beforeAll(async () => {
  server = await startPostgresServer();
  const { port, password } = server;
  const options = { host: '127.0.0.1', port, password, user: 'postgres', database: 'postgres' };
  [owner, observer] = [new pg.Client(options), new pg.Client(options)];
  await Promise.all([owner.connect(), observer.connect()]);
  await replica().find(workspace, 'makes the tables');
}, POSTGRES_START_TIMEOUT_MS);
afterAll(async () => {
  await Promise.all([owner.end(), observer.end()]);
  await server.stop();
}, POSTGRES_START_TIMEOUT_MS);

beforeEach(async () => {
  await owner.query('TRUNCATE roundhouse_notes, roundhouse_note_deletions');
  await write('friday', '# Meeting notes\nFriday\n');
  await write('monday', '# Meeting notes\nMonday\n');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.onModuleDestroy()));
});

function replica(changed: Partial<ConstructorParameters<typeof PostgresNoteStore>[0]> = {}): PostgresNoteStore {
  const store = new PostgresNoteStore({ url: server.url, tls: false, password: server.password, ...changed });
  opened.push(store);
  return store;
}

function write(id: string, content: string, place = 'srv/notes') {
  return owner.query(
    'INSERT INTO roundhouse_notes VALUES ($1, $2, $3) ON CONFLICT (workspace, id) DO UPDATE SET content = $3',
    [place, id, content],
  );
}

const left = async () =>
  (await owner.query<{ id: string }>('SELECT id FROM roundhouse_notes ORDER BY id')).rows.map(({ id }) => id);
const deletions = async () =>
  (await owner.query<{ note: string }>('SELECT note FROM roundhouse_note_deletions')).rows.map(({ note }) => note);

async function offer(title = 'meeting'): Promise<Note[]> {
  return replica().find(workspace, title);
}

describe('notes in PostgreSQL', () => {
  it('are found by title, whatever its case, in the order of their ids, in their own workspace only', async () => {
    await write('elsewhere', '# Meeting notes\n', 'srv/other');
    await write('shopping', '# Shopping\n');
    expect((await offer('MEETING')).map(({ id, title }) => [id, title])).toEqual([
      ['friday', 'Meeting notes'],
      ['monday', 'Meeting notes'],
    ]);
  });

  it.each(["' OR 1=1 --", '%', '_'])('take %j for a text like any other', async (title) => {
    expect(await offer(title)).toEqual([]);
  });

  it('are deleted and recorded together', async () => {
    expect(await replica().delete(workspace, { offered: await offer(), id: 'monday' }, deletion)).toBe('deleted');
    expect([await left(), await deletions()]).toEqual([['friday'], ['monday']]);
  });

  it('are deleted by one of many replicas that carry out one confirmation at the same moment', async () => {
    const offered = await offer();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => replica().delete(workspace, { offered, id: 'monday' }, deletion)),
    );
    expect(outcomes.filter((outcome) => outcome === 'deleted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'gone')).toHaveLength(7);
    expect(await deletions()).toEqual(['monday']);
  });

  it('are deleted by one of two confirmations of the same note', async () => {
    const offered = await offer();
    const outcomes = await Promise.all(
      ['key-1', 'key-2'].map((idempotencyKey) =>
        replica().delete(workspace, { offered, id: 'monday' }, { flowId: 'f', idempotencyKey }),
      ),
    );
    expect(outcomes.sort()).toEqual(['deleted', 'gone']);
    expect(await deletions()).toEqual(['monday']);
  });

  it('are not deleted a second time by one confirmation, even when somebody wrote the same note again', async () => {
    const offered = await offer();
    await replica().delete(workspace, { offered, id: 'monday' }, deletion);
    await write('monday', '# Meeting notes\nMonday\n');
    expect(await replica().delete(workspace, { offered, id: 'monday' }, deletion)).toBe('gone');
    expect(await left()).toEqual(['friday', 'monday']);
  });

  it.each<[string, () => unknown, string]>([
    ['that has changed', () => write('monday', '# Meeting notes\nand Tuesday\n'), 'changed'],
    ['whose title alone has changed', () => write('monday', '# Other notes\nMonday\n'), 'changed'],
    ['that is gone', () => owner.query("DELETE FROM roundhouse_notes WHERE id = 'monday'"), 'gone'],
    [
      'that moved to another workspace',
      () => owner.query("UPDATE roundhouse_notes SET workspace = 'srv/other' WHERE id = 'monday'"),
      'gone',
    ],
  ])('%s are left as they are, and the confirmation leaves no trace', async (_, change, outcome) => {
    const offered = await offer();
    await change();
    const before = await left();
    expect(await replica().delete(workspace, { offered, id: 'monday' }, deletion)).toBe(outcome);
    expect([await left(), await deletions()]).toEqual([before, []]);
  });

  it.each(['shopping', '', "' OR 1=1 --", '../friday'])('that were not offered are left: %j', async (id) => {
    await write('shopping', '# Shopping\n');
    expect(await replica().delete(workspace, { offered: await offer(), id }, deletion)).toBe('not offered');
    expect([await left(), await deletions()]).toEqual([['friday', 'monday', 'shopping'], []]);
  });

  it('wait for whoever changes the note at that moment, and see the change', async () => {
    const offered = await offer();
    await owner.query('BEGIN');
    await write('monday', '# Meeting notes\nbeing written\n');
    const outcome = replica().delete(workspace, { offered, id: 'monday' }, deletion);
    const isWaiting = async () =>
      (await observer.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).rowCount === 1;
    while (!(await isWaiting())) await new Promise(setImmediate);
    await owner.query('COMMIT');
    expect(await outcome).toBe('changed');
    expect(await deletions()).toEqual([]);
  });

  it('lose nothing when the connection breaks in the middle', async () => {
    const offered = await offer();
    await owner.query('BEGIN');
    await owner.query("SELECT 1 FROM roundhouse_notes WHERE id = 'monday' FOR UPDATE");
    const outcome = replica().delete(workspace, { offered, id: 'monday' }, deletion);
    const settled = outcome.then(
      () => 'done',
      () => 'failed',
    );
    const kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while ((await observer.query(kill)).rowCount === 0) await new Promise(setImmediate);
    await owner.query('COMMIT');
    expect(await settled).toBe('failed');
    expect([await left(), await deletions()]).toEqual([['friday', 'monday'], []]);
    expect(await replica().delete(workspace, { offered, id: 'monday' }, deletion)).toBe('deleted');
  });
});

describe('the tables', () => {
  it('are made once by replicas that start at the same moment', async () => {
    await owner.query('DROP TABLE roundhouse_notes, roundhouse_note_deletions');
    const found = await Promise.all(Array.from({ length: 6 }, () => replica().find(workspace, 'x')));
    expect(found).toEqual(Array(6).fill([]));
  });

  it('need not be made by a user who may not', async () => {
    await owner.query("CREATE ROLE reader LOGIN PASSWORD 'reads'");
    await owner.query('GRANT SELECT ON roundhouse_notes TO reader');
    const url = server.url.replace('postgres@', 'reader@');
    expect(await replica({ url, password: 'reads' }).find(workspace, 'monday')).toEqual([]);
    await owner.query('DROP OWNED BY reader; DROP ROLE reader');
  });
});

describe('the password', () => {
  let folder: string;
  let passwordFile: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'password-'));
    passwordFile = join(folder, 'password');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const fromFile = () => replica({ password: undefined, passwordFile });

  it('is read from its file for each connection, line end or not', async () => {
    const store = fromFile();
    writeFileSync(passwordFile, 'wrong\n');
    await expect(store.find(workspace, 'meeting')).rejects.toThrow('password authentication failed');
    writeFileSync(passwordFile, `${server.password}\n`);
    expect(await store.find(workspace, 'meeting')).toHaveLength(2);
  });

  it('that cannot be read is told without showing what is there', async () => {
    await expect(fromFile().find(workspace, 'meeting')).rejects.toThrow(
      'toolWorker.notes.database.passwordFile names a file that cannot be read: ENOENT',
    );
  });

  it.each(['wrong', ''])('%j is in no error', async (password) => {
    const failed = await replica({ password })
      .find(workspace, 'x')
      .catch((error: Error) => error);
    expect(JSON.stringify([failed, String(failed), (failed as Error).stack])).not.toContain(server.password);
  });
});

describe('a connection that shall be encrypted', () => {
  it('is not made without encryption', async () => {
    await expect(replica({ tls: true }).find(workspace, 'meeting')).rejects.toThrow('does not support SSL');
  });
});

describe('notes_delete on PostgreSQL', () => {
  const config = () => ({
    database: { url: server.url, tls: false, password: server.password },
    grants: [{ subject: '*', workspaces: [workspaceUri] }],
  });

  it('offers and deletes with each round on another replica', async () => {
    const parts = () => ({ tools: [NotesDeleteTool], imports: [NotesModule.forConfig(config())] });
    const body = JSON.stringify({ workspaceUri, title: 'meeting' });
    const flow = new SpecFlow(parts, 'notes_delete', { body, idempotencyKey: 'key-1' });
    expect((await flow.next()).kind).toBe('input_required');
    const choice = { delete_choice: { action: 'accept', content: { note_id: 'friday', confirm: true } } };
    expect(textsOf(await flow.next(choice))).toEqual(['The note was deleted.']);
    expect([await left(), await deletions()]).toEqual([['monday'], ['friday']]);
  });

  it('closes its connections with the worker', async () => {
    const module = await Test.createTestingModule({ imports: [NotesModule.forConfig(config())] }).compile();
    const store = module.get(NoteStore);
    await store.find(workspace, 'meeting');
    await module.close();
    await expect(store.find(workspace, 'meeting')).rejects.toThrow('after calling end');
  });
});
