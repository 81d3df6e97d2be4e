/** What the README promises of `npm start`: it runs with nothing else there, and the commands it prints work as they stand. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LOG_LEVEL } from '../harness/cluster-plan.js';
import { ask, completed, retry } from '../harness/flow.js';
import { nextId, sendMcp, type McpCall } from '../harness/mcp-request.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { watchReply } from '../harness/secrets-sent.js';
import { SpanCollector } from '../harness/span-collector.js';
import { Standalone } from '../harness/standalone.js';
import { until } from '../harness/until.js';

const run = promisify(execFile);
const COMMANDS_WITHIN_MS = 20_000;
/** A batch leaves after a second. */
const SPANS_WITHIN_MS = 20_000;
const CONFIRMED_CALL: McpCall = { method: 'tools/call', params: { name: 'confirm_wait', arguments: { ms: 0 } } };

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

    // From the sources, whatever the others run: the thread that spans leave from has to compile them, too.
    scenario(
      'told of a collector it sends the spans of a round trip there, the second round linked to the first',
      ['OBS-1', 'OBS-6'],
      async ({ defer }) => {
        const collector = await SpanCollector.start();
        defer(() => collector.goAway());
        const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ROUNDHOUSE_TRACE_RATIO: '1' };
        const traced = await Standalone.start({ name: 'e2e/npm-start-traced', logLevel: LOG_LEVEL, env });
        defer(() => traced.stop());
        const [firstId, secondId] = [nextId(), nextId()];
        const { state } = await ask(traced.port, { ...CONFIRMED_CALL, id: firstId });
        const confirmation = { confirm: { action: 'accept', content: { confirm: true } } };
        assert.equal(
          completed(await sendMcp(traced.port, { ...retry(CONFIRMED_CALL, state, confirmation), id: secondId })),
          'Waited 0 ms.',
        );
        const [first, second] = await until(
          () => {
            const found = [firstId, secondId].map((id) =>
              collector.spans.find(
                ({ kind, attributes }) => kind === 'SERVER' && attributes['jsonrpc.request.id'] === id,
              ),
            );
            return found.every((span) => span !== undefined) && found;
          },
          { what: 'both rounds at the collector', withinMs: SPANS_WITHIN_MS },
        );
        assert.deepEqual([second?.links[0]?.traceId, second?.links[0]?.spanId], [first?.traceId, first?.spanId]);
        assert.notEqual(second?.traceId, first?.traceId);
        assert.deepEqual(traced.complaints(), []);
      },
    ),
  ],
);
