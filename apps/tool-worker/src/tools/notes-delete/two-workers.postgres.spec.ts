import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PATTERN, type CallItem, type CallRequest } from '@roundhouse/contracts';
import { RpcClient } from '@roundhouse/service-kit';
import {
  POSTGRES_START_TIMEOUT_MS,
  findFreePort,
  startPostgresServer,
  type RunningPostgres,
} from '@roundhouse/testing';
import { toRequest } from '@roundhouse/worker-kit/testing';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const PROGRAM = ['--import', './tools/ts-hook.mjs', 'apps/tool-worker/src/main.ts'];
const TURNS = 10;

let server: RunningPostgres;
let database: pg.Client;
const processes: ChildProcess[] = [];
const workers: RpcClient[] = [];

async function startWorker(): Promise<void> {
  const port = await findFreePort();
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    ...{ PATH, HOME, ROUNDHOUSE_WORKER_RPC_PORT: String(port), ROUNDHOUSE_LOG_LEVEL: 'warn' },
    ...{ ROUNDHOUSE_NOTES_DATABASE_URL: server.url, ROUNDHOUSE_NOTES_DATABASE_PASSWORD: server.password },
  };
  processes.push(spawn(process.execPath, PROGRAM, { cwd: ROOT, env, stdio: 'ignore' }));
  const client = new RpcClient({ host: '127.0.0.1', port });
  const isReady = () =>
    client.ready().then(
      () => true,
      () => false,
    );
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 50));
  workers.push(client);
}

/** The last item of a call, asked of one of the processes. */
function reply(worker: RpcClient | undefined, request: CallRequest): Promise<CallItem> {
  return new Promise((resolve, reject) => {
    worker?.open(PATTERN.call, request, ({ err, response }) => {
      if (err !== undefined && err !== null) reject(new Error(JSON.stringify(err)));
      if (response !== undefined) resolve(response as CallItem);
    });
  });
}

beforeAll(async () => {
  server = await startPostgresServer();
  const { port, password } = server;
  database = new pg.Client({ host: '127.0.0.1', port, password, user: 'postgres', database: 'postgres' });
  await Promise.all([database.connect(), startWorker(), startWorker()]);
}, POSTGRES_START_TIMEOUT_MS);
afterAll(async () => {
  for (const worker of workers) worker.close();
  await Promise.all(
    processes.map(async (child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
  await database.end();
  await server.stop();
}, POSTGRES_START_TIMEOUT_MS);

describe('two worker processes that are given one confirmation at the same moment', () => {
  it(
    'commit it exactly once',
    async () => {
      const title = { workspaceUri: 'file:///srv/notes', title: 'twice' };
      const request = { body: JSON.stringify(title) };
      await reply(workers[0], toRequest('notes_delete', request));
      for (let turn = 1; turn <= TURNS; turn += 1) {
        await database.query("INSERT INTO roundhouse_notes VALUES ('srv/notes', 'note', '# Twice\n')");
        const asked = await reply(workers[turn % 2], toRequest('notes_delete', request));
        const confirmed = {
          ...request,
          continuation: asked.kind === 'input_required' ? asked.continuation : '',
          answers: { delete_choice: { action: 'accept', content: { note_id: 'note', confirm: true } } },
          ...{ round: 2, flowId: `flow-${turn}`, idempotencyKey: `key-${turn}` },
        };
        const replies = await Promise.all(workers.map((each) => reply(each, toRequest('notes_delete', confirmed))));
        const said = replies.map((item) => /The note (was deleted|is already gone)/.exec(JSON.stringify(item))?.[1]);
        expect(said.sort()).toEqual(['is already gone', 'was deleted']);
      }
      const { rows } = await database.query('SELECT confirmation FROM roundhouse_note_deletions');
      expect(rows).toHaveLength(TURNS);
    },
    POSTGRES_START_TIMEOUT_MS,
  );
});
