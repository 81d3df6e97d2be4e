/** docs/writing-a-tool.md, done: a worker in a repository of its own, built on the packed libraries and called. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask, askedBy, completed, retry } from '../harness/flow.js';
import { sendMcp, type McpCall } from '../harness/mcp-request.js';
import { OwnWorker } from '../harness/own-worker.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { ROOT } from '../harness/workspace.js';

const run = promisify(execFile);
const CURL_WITHIN_MS = 20_000;
const PAGE = join(ROOT, 'docs/writing-a-tool.md');

const order: McpCall = { method: 'tools/call', params: { name: 'order_tea', arguments: { guest: 'Ada' } } };
const close: McpCall = { method: 'tools/call', params: { name: 'close_shop', arguments: {} } };
const accept = (content: object) => ({ action: 'accept', content });

export const scenarios = scenariosIn('a worker of one’s own', () => OwnWorker.start(), [
  scenario('passes its own tests with the packed test kit', ['KIT-1'], async ({ world }) => {
    const output = await world.npm('test');
    assert.match(output, /^# pass [1-9]/m);
    assert.match(output, /^# fail 0$/m);
  }),

  scenario('does not build with a mistake in how it reads an answer', ['KIT-1'], async ({ world, defer }) => {
    const file = join(world.project, 'src/tea-tools.ts');
    cpSync(file, `${file}.right`);
    defer(() => cpSync(`${file}.right`, file));
    appendFileSync(file, 'export const wrong = (why: Asked<typeof reason>) => why.cups;\n');
    await assert.rejects(world.npm('run', 'build'), /tea-tools\.ts.*Property 'cups' does not exist/s);
  }),

  scenario(
    'asks through a router, and orders once however often the answer is sent',
    ['KIT-1', 'REP-2'],
    async ({ world }) => {
      const { state, inputRequests } = await ask(world.port, order);
      assert.match(JSON.stringify(inputRequests), /Which tea for Ada\?.*assam.*sencha/);
      const answered = retry(order, state, { choice: accept({ tea: 'sencha', cups: 3 }) });
      assert.equal(completed(await sendMcp(world.port, answered)), '3 × sencha for Ada.');
      assert.equal(completed(await sendMcp(world.port, answered)), '3 × sencha for Ada.');
      const { state: next } = await ask(world.port, order);
      const more = retry(order, next, { choice: accept({ tea: 'sencha', cups: 2 }) });
      assert.equal(completed(await sendMcp(world.port, more)), 'There is not enough sencha left.');
    },
  ),

  scenario('asks what it declared as parameters, one after the other', ['KIT-1', 'D-12'], async ({ world }) => {
    const first = await ask(world.port, close);
    assert.deepEqual(Object.keys(first.inputRequests), ['reason']);
    const second = askedBy(
      await sendMcp(world.port, retry(close, first.state, { reason: accept({ reason: 'holiday' }) })),
    );
    assert.deepEqual(Object.keys(second.inputRequests), ['sure']);
    const refused = await sendMcp(world.port, retry(close, second.state, { sure: { action: 'decline' } }));
    assert.equal(completed(refused), 'The question "sure" was declined, so nothing was done.');
  }),

  scenario('answers the command of the page that tells how it is written', ['KIT-1'], async ({ world }) => {
    const [, command = ''] = /```sh\n(curl [\s\S]*?)```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
    assert.ok(command.includes('http://127.0.0.1:3000/mcp'), command);
    const here = command.replace('127.0.0.1:3000', `127.0.0.1:${world.port}`);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', here], { timeout: CURL_WITHIN_MS });
    assert.match(stdout, /"resultType":"input_required".*"choice".*"requestState":"v1\./);
  }),
]);
