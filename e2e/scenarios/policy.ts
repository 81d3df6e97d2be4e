/** A policy file that several routers follow: what it permits, how much, and what is written down of it. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from '../harness/cluster.js';
import { AUDIT_FILE, POLICY_FILE } from '../harness/cluster-plan.js';
import { sendMcp, type McpReply } from '../harness/mcp-request.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until } from '../harness/until.js';

const BURST = 16;
const ROUTERS = 2;
const MARK = 'MARK_argument_19c4';
/** Watched and looked at every second. */
const RELOADED_WITHIN_MS = 10_000;

const POLICY = {
  rules: [{ name: 'own', tools: ['notes_*'], grantsDestructive: true, when: 'principal.subject == "alice"' }],
  limits: [{ name: 'limited', tools: ['test_simple_text'], by: 'principal', perSecond: 0.01, burst: BURST }],
};

const start = (): Promise<Cluster> => Cluster.start({ name: 'e2e/policy', routers: ROUTERS, policy: POLICY });

function replacePolicy(world: Cluster, policy: object): void {
  const path = join(world.folder, POLICY_FILE);
  writeFileSync(`${path}.new`, JSON.stringify({ policy }));
  renameSync(`${path}.new`, path);
}

const echo = (port: number, principal: string): Promise<McpReply> =>
  sendMcp(port, { method: 'tools/call', params: { name: 'echo', arguments: { message: MARK } }, principal });

const limited = (port: number, principal: string): Promise<McpReply> =>
  sendMcp(port, { method: 'tools/call', params: { name: 'test_simple_text', arguments: {} }, principal });

const namesFor = async (port: number, principal: string): Promise<string[]> => {
  const { response } = await sendMcp(port, { method: 'tools/list', principal });
  return (response.result?.['tools'] as { name: string }[]).map(({ name }) => name);
};

export const scenarios = scenariosIn('policy', start, [
  scenario(
    'a tool is shown to whom it is permitted, and closed where nobody granted it',
    ['OAU-4'],
    async ({ world }) => {
      for (const { port } of world.routers) {
        assert.ok((await namesFor(port, 'alice')).includes('notes_delete'));
        const bob = await namesFor(port, 'bob');
        assert.ok(bob.includes('echo') && !bob.includes('notes_delete') && !bob.includes('bank_transfer'));
        for (const name of ['notes_delete', 'bank_transfer']) {
          const refused = await sendMcp(port, {
            method: 'tools/call',
            params: { name, arguments: {} },
            principal: 'bob',
          });
          assert.deepEqual([refused.status, refused.response.error?.message], [403, 'Policy does not permit this']);
        }
      }
    },
  ),

  scenario('a limit is of all routers together, and of one principal alone', ['B108'], async ({ world }) => {
    const replies = await Promise.all(Array.from({ length: 3 * BURST }, () => limited(world.port, 'greedy')));
    const served = replies.filter(({ status }) => status === 200).length;
    // Each router lets an eighth of the burst through before it has asked.
    assert.ok(served >= BURST && served <= BURST + (ROUTERS * BURST) / 8, `${served} of a burst of ${BURST}`);
    for (const { status, headers } of replies.filter(({ status }) => status !== 200)) {
      assert.equal(status, 429);
      assert.ok(Number(headers['retry-after']) >= 1);
    }
    assert.equal((await limited(world.port, 'modest')).status, 200);
  }),

  scenario(
    'a new policy holds on every router, and no request is lost over it',
    ['OAU-4'],
    async ({ world, defer }) => {
      defer(() => replacePolicy(world, POLICY));
      const seen: number[] = [];
      let isOver = false;
      const load = Promise.all(
        Array.from({ length: 4 }, async (_, at) => {
          while (!isOver)
            seen.push((await sendMcp(world.port, { method: 'tools/list', principal: `load-${at}` })).status);
        }),
      );
      const open = { rules: [{ name: 'all', tools: ['*'], grantsDestructive: true }] };
      replacePolicy(world, { ...open, unknown: true });
      replacePolicy(world, open);
      for (const { port } of world.routers)
        await until(async () => (await namesFor(port, 'bob')).includes('bank_transfer'), {
          what: 'the new policy',
          withinMs: RELOADED_WITHIN_MS,
        });
      isOver = true;
      await load;
      assert.ok(seen.length > 0);
      assert.deepEqual(new Set(seen), new Set([200]));
    },
  ),

  scenario(
    'each decision and what came of it are lines, from whichever router, and tell no secret',
    ['OBS-13'],
    async ({ world }) => {
      const auditFile = join(world.folder, AUDIT_FILE);
      writeFileSync(auditFile, '');
      for (const { port } of world.routers) {
        assert.equal((await echo(port, 'audited')).status, 200);
        const params = { name: 'bank_transfer', arguments: { note: MARK } };
        assert.equal((await sendMcp(port, { method: 'tools/call', params, principal: 'audited' })).status, 403);
      }
      const read = (): Record<string, unknown>[] => {
        const lines = readFileSync(auditFile, 'utf8').split('\n').filter(Boolean);
        const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        // Calls of before may end meanwhile: ours are of who was refused, and what came of them.
        const who = all.find(({ target }) => target === 'bank_transfer')?.['principal'];
        const mine = all.filter(({ principal }) => principal !== undefined && principal === who);
        const calls = new Set<unknown>(mine.flatMap(({ call }) => (call === undefined ? [] : [call])));
        return [...mine, ...all.filter(({ event, call }) => event === 'outcome' && calls.has(call))];
      };
      await until(() => read().length === 3 * ROUTERS, { what: 'a line for each', withinMs: RELOADED_WITHIN_MS });
      assert.deepEqual(
        read()
          .map(({ outcome, target }) => `${String(outcome)} ${String(target)}`)
          .sort(),
        [
          ...Array.from({ length: ROUTERS }, () => 'allowed echo'),
          ...Array.from({ length: ROUTERS }, () => 'complete echo'),
          ...Array.from({ length: ROUTERS }, () => 'refused bank_transfer'),
        ],
      );
      const text = readFileSync(auditFile, 'utf8');
      for (const secret of [MARK, Buffer.from(MARK).toString('base64'), 'audited']) assert.ok(!text.includes(secret));
    },
  ),
]);
