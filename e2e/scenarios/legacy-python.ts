/** The official Python client as it speaks to servers of 2025, on two routers whichever of them gets a message. */
import assert from 'node:assert/strict';
import { AskingWorld } from '../harness/asking-world.js';
import { caseOf, playAll, type Play } from '../harness/legacy-play.js';
import { callWithPython } from '../harness/python-client.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { ASKING_TOOLS, CASE_ROOTS, CASE_SAMPLE, type Player } from '../harness/tool-cases.js';

const PRINCIPAL = 'alice';
const PLAYER: Player = { draft: 'welcome', cents: 20_303, release: '3.1' };

const play: Play = async ({ cluster }, { tool, args, answers }, action) => {
  const { text, asked } = await callWithPython({
    ...{ url: cluster.front.url, principal: PRINCIPAL, tool, arguments: args, mode: 'legacy' },
    ...{ action, answers, roots: CASE_ROOTS, sample: CASE_SAMPLE.content.text },
  });
  assert.ok(asked.length > 0, 'the person was asked');
  return text;
};

export const scenarios = scenariosIn(
  'legacy Python client',
  () => AskingWorld.start('e2e/legacy-python'),
  ASKING_TOOLS.map((tool) =>
    scenario<AskingWorld>(
      `${tool}: cancel, decline and accept end as they should, whichever router gets a message`,
      ['K-31', 'K-32', 'K-33', 'D-12'],
      ({ world }) => playAll(world, caseOf(world, tool, PLAYER), play),
    ),
  ),
);
