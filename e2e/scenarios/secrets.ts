/** What callers say stays between them and the tool: not a word of it in any log, trace or store. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { ask, askedBy, completed, finish, retry } from '../harness/flow.js';
import { everyForgery } from '../harness/forgeries.js';
import { ListenStream } from '../harness/listen-stream.js';
import { sendMcp, toHttp, type Json, type McpCall } from '../harness/mcp-request.js';
import { sendRaw } from '../harness/raw-client.js';
import { Note, Transfer, accept } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { secretWatch } from '../harness/secret-watch.js';

/** Each place where a caller can put something has a word of its own, so that a leak names its source. */
const MARK = {
  argument: 'MARK_argument_9f1c',
  title: 'MARK title 77ab',
  answer: 'MARK_answer_41d0',
  principal: 'MARK_principal_c3e8',
  meta: 'MARK_meta_5b2a',
  body: 'MARK_body_e604',
  header: 'MARK_header_18d7',
} as const;

export const scenarios = scenariosIn('secrets', () => Cluster.start({ name: 'e2e/secrets' }), [
  scenario(
    'nothing that callers say, and no key or state, is in a log, a trace or Redis',
    ['OBS-12', 'REP-11', 'REP-12'],
    async ({ world }) => {
      for (const [what, mark] of Object.entries(MARK)) secretWatch.keep(what, mark);
      await provoke(world);
      const stored = await world.readRedis();
      assert.ok(stored.length > 500, 'claims and results are there');
      secretWatch.hear('Redis', stored);
      assert.deepEqual(secretWatch.leaks(), []);
    },
  ),
]);

/** Good calls, bad calls and failing parts, each full of secrets. */
async function provoke(world: Cluster): Promise<void> {
  const note = new Note(world, MARK.title, MARK.principal);
  const meta: Json = { 'com.example/note': MARK.meta, baggage: `k=${MARK.meta}` };
  const first = await ask(world.port, { ...note.call, meta });
  const confirmed = retry({ ...note.call, meta }, first.state, {
    ...note.confirmation,
    extra: accept({ note: MARK.answer }),
  });
  for (const forged of Object.values(everyForgery(first.state, first.state)))
    await sendMcp(world.port, retry(note.call, forged, {}));
  await sendMcp(world.port, retry({ ...note.call, principal: `${MARK.principal}2` }, first.state, note.confirmation));
  await world.replay.process.kill();
  await sendMcp(world.port, confirmed);
  await world.replay.start();
  const second = await ask(world.port, twoRounds);
  const third = askedBy(
    await sendMcp(world.port, retry(twoRounds, second.state, { step1: accept({ name: MARK.answer }) })),
  );
  await sendMcp(world.port, retry(twoRounds, third.state, { step2: accept({ color: MARK.answer }) }));
  await finish(world.port, new Transfer(world, 70_001, MARK.principal).call, new Transfer(world, 70_001).answers);
  completed(await sendMcp(world.port, confirmed));
  completed(await sendMcp(world.port, confirmed));
  await spoil(world);
  await loseWorkers(world);
}

/** Requests that are refused on every rung. */
async function spoil(world: Cluster): Promise<void> {
  const good = toHttp(echo);
  const bodies = [
    `{"x":"${MARK.body}"`,
    `["${MARK.body}"]`,
    `{"jsonrpc":"2.0","id":7,"method":"${MARK.body}"}`,
    `"${MARK.body}"`,
  ];
  for (const body of bodies) await sendRaw({ port: world.port, headers: good.headers, body });
  for (const name of [
    'Mcp-Name',
    'Mcp-Method',
    'Origin',
    'Content-Type',
    'Accept',
    'X-Roundhouse-Principal',
    'Authorization',
  ]) {
    const headers = [...good.headers.filter(([each]) => each !== name), [name, `https://${MARK.header} x`] as const];
    await sendRaw({ port: world.port, headers, body: good.body });
  }
  await sendMcp(world.port, {
    ...echo,
    params: { name: 'echo', arguments: { message: { [MARK.argument]: MARK.argument } } },
  });
  await sendMcp(world.port, { ...echo, params: { name: 'echo', arguments: [MARK.argument] } });
  const listen = await ListenStream.open(world.port, {
    notifications: { resourceSubscriptions: [`test://${MARK.argument}`] },
  });
  listen.close();
}

/** A call whose worker is killed, and one that finds none: the errors nobody caused on purpose. */
async function loseWorkers(world: Cluster): Promise<void> {
  const running = sendMcp(world.port, {
    ...echo,
    params: { name: 'wait', arguments: { ms: 50_000, [MARK.argument]: MARK.argument } },
  });
  await Promise.all(world.workers.map((seat) => seat.process.kill()));
  await running;
  await sendMcp(world.port, echo);
  await Promise.all(world.workers.map((seat) => seat.start()));
  await world.awaitConnected();
  completed(await sendMcp(world.port, echo));
}

const echo: McpCall = {
  method: 'tools/call',
  principal: MARK.principal,
  params: { name: 'echo', arguments: { message: MARK.argument } },
};

const twoRounds: McpCall = {
  method: 'tools/call',
  principal: MARK.principal,
  params: { name: 'test_input_required_result_multi_round', arguments: { word: MARK.argument } },
};
