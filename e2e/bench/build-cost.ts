/** What a call costs the router of this build and that of another one, a checkout that was built, side by side. */
import { compareRouters, type ComparedOptions } from './compared.js';
import { Gateway } from './gateway.js';
import { callTarget, type BenchTargets } from './targets.js';

const TOOLS = 10;

export interface BuildCost {
  readonly routerCpuUsOther: number;
  readonly routerCpuUsThis: number;
  /** Of the two. */
  readonly factor: number;
  /** Of each process of the other and of this build, in the order of the times: how far apart equal ones are. */
  readonly eachCpuUs: readonly (readonly number[])[];
}

export async function measureBuildCost(
  targets: BenchTargets,
  { against, ...rounds }: ComparedOptions & { readonly against: string },
): Promise<BuildCost> {
  const options = { tools: TOOLS, replay: true };
  const [other, own] = await compareRouters(
    targets,
    [
      async (at) =>
        callTarget(
          'other',
          targets.keep(await Gateway.start({ ...options, name: `bench/other-${at}`, checkout: against })),
        ),
      async (at) => callTarget('this', targets.keep(await Gateway.start({ ...options, name: `bench/this-${at}` }))),
    ],
    rounds,
  );
  return {
    routerCpuUsOther: other?.routerCpuUs ?? NaN,
    routerCpuUsThis: own?.routerCpuUs ?? NaN,
    factor: 1 + (own?.addedPercent ?? NaN) / 100,
    eachCpuUs: [other?.eachCpuUs ?? [], own?.eachCpuUs ?? []],
  };
}
