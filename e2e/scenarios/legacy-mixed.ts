/**
 * Clients of both eras at once, each request to the next router, while one router is replaced: what fails may be sent again,
 * but nobody is ever given an answer that is not theirs.
 */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { ask, completed, retry } from '../harness/flow.js';
import { LegacySession, textOfResponse } from '../harness/legacy-session.js';
import { sendMcp } from '../harness/mcp-request.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

const CLIENTS_OF_EACH_ERA = 50;
/** `ROUNDHOUSE_MIXED_MS` makes it longer. */
const LOAD_MS = Number(process.env['ROUNDHOUSE_MIXED_MS'] ?? 15_000);
const CONFIRM = { action: 'accept', content: { confirm: true } };

interface Tally {
  right: number;
  /** Refused or broken while a router was replaced. */
  failed: number;
  readonly wrong: string[];
}

/** One call, start to end; the text that came out. */
type Play = (message: string) => Promise<string>;

export const scenarios = scenariosIn('legacy mixed', () => Cluster.start({ name: 'e2e/legacy-mixed' }), [
  scenario(
    'fifty clients of each era on two routers, one of which is replaced, get their own answers and no others',
    ['K-19', 'K-32', 'A-14', 'B57'],
    async ({ world }) => {
      const tallies = { legacy: newTally(), modern: newTally() };
      const untilMs = performance.now() + LOAD_MS;
      const numbers = Array.from({ length: CLIENTS_OF_EACH_ERA }, (_, at) => at);
      const load = numbers.flatMap((at) => [
        playOn(legacyPlay(world, `old-${at}`), { name: `old-${at}`, untilMs, tally: tallies.legacy }),
        playOn(modernPlay(world, `new-${at}`), { name: `new-${at}`, untilMs, tally: tallies.modern }),
      ]);
      const replaced = new Promise((resolve) => setTimeout(resolve, LOAD_MS / 3)).then(() =>
        world.routers[0]?.restart(),
      );
      await Promise.all([...load, replaced]);
      for (const [era, { right, wrong }] of Object.entries(tallies)) {
        assert.deepEqual(wrong, [], era);
        assert.ok(right > CLIENTS_OF_EACH_ERA, `${era}: ${right} calls`);
      }
    },
  ),
]);

function newTally(): Tally {
  return { right: 0, failed: 0, wrong: [] };
}

async function playOn(
  play: Play,
  { name, untilMs, tally }: { readonly name: string; readonly untilMs: number; readonly tally: Tally },
): Promise<void> {
  for (let at = 0; performance.now() < untilMs; at += 1) {
    const message = `${name}, call ${at}`;
    try {
      const text = await play(message);
      if (text === message) tally.right += 1;
      else tally.wrong.push(`${message}: ${text}`);
    } catch {
      tally.failed += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** One session for the whole time, whatever becomes of routers. */
function legacyPlay({ port }: Cluster, principal: string): Play {
  let session: LegacySession | undefined;
  return async (message) => {
    session ??= await LegacySession.begin(port, { principal });
    const stream = await session.call(port, 'confirm_echo', { args: { message } });
    try {
      const { status } = await session.answer(port, await stream.question(), CONFIRM);
      assert.equal(status, 202);
      return textOfResponse(await stream.response());
    } finally {
      stream.close();
    }
  };
}

function modernPlay({ port }: Cluster, principal: string): Play {
  return async (message) => {
    const params = { name: 'confirm_echo', arguments: { message } };
    const call = { method: 'tools/call', principal, params };
    const { state } = await ask(port, call);
    return completed(await sendMcp(port, retry(call, state, { confirm: CONFIRM })));
  };
}
