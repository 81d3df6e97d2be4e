/** How clients of 2025 play the cases of the reference tools: whatever the person does, each round runs once. */
import assert from 'node:assert/strict';
import type { AskingWorld } from './asking-world.js';
import { awaitRounds, flowIdOfTool, flowIdsOfTool } from './rounds-seen.js';
import { ACTIONS, toolCases, type Action, type Player, type ToolCase } from './tool-cases.js';

/** A client plays one case and tells the text of the result. */
export type Play = (world: AskingWorld, toolCase: ToolCase, action: Action) => Promise<string>;

/** Accept last: it uses up what the others leave as it is. */
export async function playAll(world: AskingWorld, toolCase: ToolCase, play: Play): Promise<void> {
  const { cluster } = world;
  for (const action of [...ACTIONS].reverse()) {
    const known = flowIdsOfTool(cluster, toolCase.tool);
    assert.match(await play(world, toolCase, action), toolCase.says[action], action);
    const flowId = await flowIdOfTool(cluster, toolCase.tool, known);
    const rounds = await awaitRounds(cluster, flowId, toolCase.rounds[action]);
    const expected = Array.from({ length: toolCase.rounds[action] }, (_, at) => [at + 1, 1]);
    assert.deepEqual(
      rounds.map(({ round, runs }) => [round, runs.length]),
      expected,
      'each round ran once',
    );
  }
}

export function caseOf({ cluster }: AskingWorld, tool: string, player: Player): ToolCase {
  const found = toolCases(cluster, player).find((each) => each.tool === tool);
  assert.ok(found !== undefined, `a case for ${tool}`);
  return found;
}
