/** How many lists a router makes when many callers with few sets of scopes ask for theirs: it says so in its log. */
import assert from 'node:assert/strict';
import { resultOf, sendMcp } from '../harness/mcp-request.js';
import { OWN_TOOLS } from './gateway.js';
import { CALL_SCOPE, GuardedGateway } from './guarded-gateway.js';
import type { BenchTargets } from './targets.js';

const PRINCIPALS = 1_000;
/** Each opens one tool more, so that nobody sees all of them. */
const SCOPES = ['list:1', 'list:2', 'list:3', 'list:4', 'list:5'];
const POLICY = {
  rules: [
    { name: 'all', tools: ['*'], grantsDestructive: true },
    ...SCOPES.map((scope, at) => ({ name: `rule-${at + 1}`, tools: [`echo_000${at + 1}`], scopes: [scope] })),
  ],
};
const BUILT = /made a list of \d+ tools/g;

export async function countBuiltLists(targets: BenchTargets): Promise<number> {
  const guarded = targets.keep(
    await GuardedGateway.start({
      name: 'bench/lists',
      tools: OWN_TOOLS + SCOPES.length,
      policy: POLICY,
      scope: [CALL_SCOPE, ...SCOPES].join(' '),
      logLevel: 'debug',
    }),
  );
  const { port, process } = guarded.gateway.router(0);
  for (let at = 0; at < PRINCIPALS; at += 1) {
    const scope = SCOPES[at % SCOPES.length] ?? '';
    const headers = await guarded.headersOf(`caller-${at}`, `${scope} ${CALL_SCOPE}`);
    const { tools } = resultOf(await sendMcp(port, { method: 'tools/list', headers }));
    assert.equal((tools as unknown[]).length, OWN_TOOLS + 1, 'what needs no scope, and one more');
  }
  return [...process.output().matchAll(BUILT)].length;
}
