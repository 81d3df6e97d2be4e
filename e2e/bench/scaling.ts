/** The same call with catalogues and numbers of connections of several sizes: neither may make it dearer. */
import { Gateway } from './gateway.js';
import { measureInTurns, type Measured } from './rounds.js';
import { callTarget, type BenchTargets } from './targets.js';
import type { Target } from './target.js';

const TOOLS = [10, 100, 1_000];
const CONNECTIONS = [1, 32, 256];
/** Every gateway is warmed by three cells before the first round. */
const ROUNDS = { rounds: 3, roundS: 2, warmUpS: 4 };

export interface ScalingCell {
  readonly tools: number;
  readonly connections: number;
  readonly measured: Measured;
}

export async function measureScaling(targets: BenchTargets): Promise<ScalingCell[]> {
  const cells: (Omit<ScalingCell, 'measured'> & { readonly target: Target })[] = [];
  for (const tools of TOOLS) {
    const gateway = targets.keep(await Gateway.start({ name: `bench/tools-${tools}`, tools }));
    for (const connections of CONNECTIONS) {
      const target = await callTarget(`${tools} tools, ${connections} connections`, gateway, { connections });
      cells.push({ tools, connections, target });
    }
  }
  const measured = await measureInTurns(
    cells.map(({ target }) => target),
    ROUNDS,
  );
  return cells.flatMap(({ tools, connections }, at) => {
    const each = measured[at];
    return each === undefined ? [] : [{ tools, connections, measured: each }];
  });
}
