/** What `npm run demo -- login` shows where nobody is at the terminal, and how it ends when the person does not agree. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LoginPlay, type LoginOutcome } from '../demo/login.js';
import { Narrator } from '../demo/narrator.js';
import { ScriptedPerson, type Content, type Person } from '../demo/person.js';
import { LOGIN } from '../demo/scripts.js';
import { AuthorizedWorld } from '../harness/authorized-world.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { ROOT } from '../harness/workspace.js';

const run = promisify(execFile);
const COMMAND_WITHIN_MS = 55_000;
/** Every token, code and verifier is longer than any word that the demo has to say. */
const SECRET = /[\w-]{40,}/;

export const scenarios = scenariosIn('npm run demo', () => AuthorizedWorld.start('e2e/demo'), [
  scenario(
    'a login is told from 401 to the call, without a terminal and without any token or code',
    ['C-03', 'C-06', 'B141'],
    async () => {
      const { stdout } = await run(process.execPath, ['tools/demo.mjs', 'login', '--json'], {
        cwd: ROOT,
        timeout: COMMAND_WITHIN_MS,
      });
      const { result, requests, logins } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LoginOutcome;
      assert.equal(result, 'The draft was deleted.');
      assert.deepEqual(stepsOf(requests), [
        'POST /mcp server/discover, without a token → 401',
        'GET /.well-known/oauth-protected-resource/mcp → 200',
        'GET /.well-known/oauth-authorization-server → 200',
        'POST /token → 200',
        'POST /mcp server/discover, with a token → 403',
        'POST /token → 200',
        'POST /mcp server/discover, with a token → 200',
        'POST /mcp tools/call, with a token → 403',
        'POST /token → 200',
        'POST /mcp tools/call, with a token → 200',
        'POST /mcp tools/call, with a token → 200',
      ]);
      assert.deepEqual(
        logins.map(({ allowed }) => allowed),
        [['mcp:read'], ['mcp:read', 'mcp:call'], ['mcp:read', 'mcp:call', 'mcp:write']],
      );
      for (const told of [
        'challenge: Bearer resource_metadata=',
        'code_challenge_method: S256',
        'form: grant_type, code, code_verifier',
        'challenge: Bearer error="insufficient_scope", scope="mcp:call"',
        'challenge: Bearer error="insufficient_scope", scope="mcp:call mcp:write"',
      ])
        assert.ok(stdout.includes(told), told);
      assert.doesNotMatch(stdout, SECRET);
    },
  ),

  scenario(
    'a person who refuses, at once or when asked for more, or never allows enough, is told why nothing was called',
    ['C-03', 'C-06'],
    async ({ world }) => {
      const half = ['mcp:read'];
      const cases: readonly [Person, statuses: string, result: RegExp][] = [
        [new Decliner('alice', {}), '401 200 200', /^The client gave up: the person refused$/],
        [scripted({ first_login: [] }), '401 200 200', /^The client gave up: the person refused$/],
        [
          scripted({ first_login: half, step_up: [] }),
          '401 200 200 200 403',
          /^The client gave up: the person refused$/,
        ],
        [
          scripted({ first_login: half, step_up: half }),
          '401 200 200 200 403 200 403',
          /^The client gave up: after 2 logins the router still asks for more$/,
        ],
      ];
      for (const [person, statuses, expected] of cases) {
        const told: string[] = [];
        const narrator = new Narrator(world.cluster, (line) => told.push(line), false);
        const { requests, result } = await new LoginPlay(world, narrator, person).run(LOGIN);
        assert.match(result, expected);
        assert.equal(requests.map((line) => line.split(' → ')[1]).join(' '), statuses);
        assert.equal(requests.filter((line) => line.includes('tools/call')).length, 0);
        assert.ok(told.at(-1)?.includes(result));
        assert.doesNotMatch(told.join('\n'), SECRET);
      }
    },
  ),
]);

class Decliner extends ScriptedPerson {
  override async answer(): Promise<{ action: 'decline' }> {
    return { action: 'decline' };
  }
}

function scripted(known: Content): Person {
  return new ScriptedPerson('alice', known);
}

/** Without the ports, which are others each time. */
function stepsOf(requests: readonly string[]): string[] {
  return requests.map((line) => line.replace(/http:\/\/127\.0\.0\.1:\d+/, ''));
}
