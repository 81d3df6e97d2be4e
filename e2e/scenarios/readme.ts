/** What the README promises of `npm start`: it runs with nothing else there, and the commands it prints work as they stand. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LOG_LEVEL } from '../harness/cluster-plan.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { watchReply } from '../harness/secrets-sent.js';
import { Standalone } from '../harness/standalone.js';
import { until } from '../harness/until.js';

const run = promisify(execFile);
const COMMANDS_WITHIN_MS = 20_000;

export const scenarios = scenariosIn(
  'npm start',
  () => Standalone.start({ name: 'e2e/npm-start', logLevel: LOG_LEVEL }),
  [
    scenario(
      'prints commands that make a whole round trip, and the second one sent again gets the same answer',
      ['TST-6', 'REP-2'],
      async ({ world }) => {
        const greeting = await until(() => /asked=\$\([\s\S]+?(?=\nStop with)/.exec(world.process.output())?.[0], {
          what: 'the commands',
          withinMs: 5_000,
        });
        const [first, ...rest] = greeting.trim().split('\n\n');
        const second = rest.join('\n\n');
        assert.ok(first !== undefined && second.includes('requestState'), greeting);
        const script = [first, second, 'echo', second].join('\n');
        const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { timeout: COMMANDS_WITHIN_MS });
        watchReply(200, stdout);
        const [asked, answered, again] = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, object>);
        assert.match(JSON.stringify(asked), /"resultType":"input_required".*"requestState":"v1\./);
        assert.match(JSON.stringify(answered), /"resultType":"complete".*The note was deleted\./);
        assert.deepEqual(again, answered);
      },
    ),
  ],
);
