/** notes_delete on a real PostgreSQL: whoever answers what and how often, a note goes in one transaction or not at all. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgresServer, type RunningPostgres } from '@roundhouse/testing';
import { Cluster } from '../harness/cluster.js';
import { ask, completed, retry } from '../harness/flow.js';
import { assertLegsApart } from '../harness/legs.js';
import { sendMcp, type Json, type McpCall } from '../harness/mcp-request.js';
import { connectOfficialClient, textOf } from '../harness/official-client.js';
import { accept } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { OUT } from '../harness/workspace.js';

const NAME = 'e2e/notes-in-postgres';
const WORKSPACE = 'srv/notes';

export const scenarios = scenariosIn('notes in PostgreSQL', startWorld, [
  scenario(
    'the official client deletes a note, with its legs on two workers, and cancel and decline delete none',
    ['D-12', 'A-14', 'TST-6'],
    async ({ world, defer }) => {
      const note = await world.write('Timetable of the winter');
      for (const action of ['cancel', 'decline', 'accept'] as const) {
        const client = await connectOfficialClient({
          url: world.cluster.front.url,
          principal: 'alice',
          answer: () => (action === 'accept' ? { action, content: { note_id: note.id, confirm: true } } : { action }),
        });
        defer(() => client.close());
        const result = await client.callTool({ name: 'notes_delete', arguments: argumentsFor(note.title) });
        assert.match(textOf(result), action === 'accept' ? /^The note was deleted/ : /Nothing was deleted/);
        assert.equal(await world.exists(note.id), action !== 'accept');
      }
      const [deletion, ...more] = await world.deletions(note.id);
      assert.equal(more.length, 0);
      await assertLegsApart(world.cluster, deletion?.flowId, 2);
    },
  ),

  scenario(
    'two people who confirm the same note at the same moment, on two workers: exactly one commit',
    ['D-09', 'REP-2'],
    async ({ world }) => {
      for (let turn = 1; turn <= 5; turn += 1) {
        const note = await world.write(`Fought over ${turn}`);
        const flows = await Promise.all(
          world.cluster.routers.map(async ({ port }, at) => {
            const call = callFor(note.title, ['alice', 'bob'][at] ?? '');
            return { port, retry: retry(call, (await ask(port, call)).state, confirmationOf(note.id)) };
          }),
        );
        const said = await Promise.all(
          flows.map(async ({ port, retry: last }) => completed(await sendMcp(port, last))),
        );
        assert.deepEqual(said.sort(), ['The note is already gone. Nothing was deleted.', 'The note was deleted.']);
        assert.equal((await world.deletions(note.id)).length, 1);
      }
    },
  ),

  scenario(
    'a note whose title changed while the person thought is left, and the confirmation is no good for it',
    ['D-38'],
    async ({ world }) => {
      const note = await world.write('Before the change');
      const call = callFor(note.title);
      const { state } = await ask(world.cluster.port, call);
      await world.write('After the change', note.id);
      for (const { port } of world.cluster.routers) {
        const text = completed(await sendMcp(port, retry(call, state, confirmationOf(note.id))));
        assert.equal(text, 'The note has changed since it was offered. Nothing was deleted.');
      }
      assert.deepEqual([await world.exists(note.id), (await world.deletions(note.id)).length], [true, 0]);
    },
  ),

  scenario('no password of the database is in a log or a trace', ['OBS-12'], async ({ world }) => {
    const wrong = { ...callFor('anything'), params: { name: 'notes_delete', arguments: { title: 5 } } };
    await sendMcp(world.cluster.port, wrong);
    for (const { process } of world.cluster.seats) assert.ok(!process.output().includes(world.password));
    assert.ok(!JSON.stringify(world.cluster.spans()).includes(world.password));
  }),

  scenario(
    'a database that is gone is an honest failure that shows nothing of it, and the workers live on',
    ['OBS-12'],
    async ({ world }) => {
      const note = await world.write('Out of reach');
      const call = callFor(note.title);
      await world.closeDatabase();
      const { text } = await sendMcp(world.cluster.port, call);
      assert.doesNotMatch(text, /ECONNREFUSED|postgres|127\.0\.0\.1/);
      assert.match(text, /"isError":true/);
      assert.match(completed(await sendMcp(world.cluster.port, echo)), /still here/);
    },
  ),
]);

const echo: McpCall = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'still here' } } };

class NotesWorld {
  constructor(
    readonly cluster: Cluster,
    private readonly server: RunningPostgres,
    private readonly database: pg.Client,
  ) {}

  get password(): string {
    return this.server.password;
  }

  complaints(): string[] {
    return this.cluster.complaints();
  }

  async write(title: string, id = `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`) {
    await this.database.query(
      'INSERT INTO roundhouse_notes VALUES ($1, $2, $3) ON CONFLICT (workspace, id) DO UPDATE SET content = $3',
      [WORKSPACE, id, `# ${title}\n`],
    );
    return { id, title };
  }

  async exists(id: string): Promise<boolean> {
    const { rowCount } = await this.database.query('SELECT 1 FROM roundhouse_notes WHERE id = $1', [id]);
    return rowCount === 1;
  }

  async deletions(id: string): Promise<readonly { flowId: string }[]> {
    const { rows } = await this.database.query<{ flowId: string }>(
      'SELECT flow_id AS "flowId" FROM roundhouse_note_deletions WHERE note = $1',
      [id],
    );
    return rows;
  }

  async closeDatabase(): Promise<void> {
    await this.database.end();
    await this.server.stop();
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.closeDatabase();
  }
}

async function startWorld(): Promise<NotesWorld> {
  const server = await startPostgresServer();
  const passwordFile = join(OUT, 'notes-database-password');
  writeFileSync(passwordFile, `${server.password}\n`, { mode: 0o600 });
  const cluster = await Cluster.start({
    name: NAME,
    wiring: 'paired',
    workerEnv: {
      ROUNDHOUSE_NOTES_DIRECTORY: '',
      ROUNDHOUSE_NOTES_DATABASE_URL: server.url,
      ROUNDHOUSE_NOTES_DATABASE_PASSWORD_FILE: passwordFile,
    },
  });
  const { port, password } = server;
  const database = new pg.Client({ host: '127.0.0.1', port, password, user: 'postgres', database: 'postgres' });
  await database.connect();
  // The workers make the tables with their first call.
  await sendMcp(cluster.port, callFor('no such note'));
  return new NotesWorld(cluster, server, database);
}

function argumentsFor(title: string): Json {
  return { workspaceUri: `file:///${WORKSPACE}`, title };
}

function callFor(title: string, principal = 'alice'): McpCall {
  return { method: 'tools/call', principal, params: { name: 'notes_delete', arguments: argumentsFor(title) } };
}

function confirmationOf(id: string): Json {
  return { delete_choice: accept({ note_id: id, confirm: true }) };
}
