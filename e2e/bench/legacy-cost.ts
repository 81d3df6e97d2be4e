/** What a client of 2025 costs the router: the same call in an open session and as a modern client sends it, in turns. */
import { LegacySession } from '../harness/legacy-session.js';
import { compareRouters, type ComparedOptions } from './compared.js';
import { Gateway, OWN_TOOLS } from './gateway.js';
import { legacyEcho } from './requests.js';
import { requestTarget, type Target } from './target.js';
import { callTarget, type BenchTargets } from './targets.js';

export interface LegacyCost {
  readonly routerCpuUsModern: number;
  readonly routerCpuUsLegacy: number;
  /** Of the two, median over the turns. */
  readonly factor: number;
}

export async function measureLegacyCost(targets: BenchTargets, options: ComparedOptions): Promise<LegacyCost> {
  // Each router serves both, as it would: neither meets code that was compiled for it alone.
  const started = new Map<string, Gateway>();
  const start = async (at: string): Promise<Gateway> => {
    const gateway = targets.keep(await Gateway.start({ name: `bench/legacy-${at}`, tools: OWN_TOOLS, replay: true }));
    started.set(at, gateway);
    return gateway;
  };
  const [modern, legacy] = await compareRouters(
    targets,
    [
      async (at) => callTarget('modern', await start(at)),
      async (at) => sessionTarget(started.get(at) ?? (await start(at))),
    ],
    options,
  );
  return {
    routerCpuUsModern: modern?.routerCpuUs ?? NaN,
    routerCpuUsLegacy: legacy?.routerCpuUs ?? NaN,
    factor: 1 + (legacy?.addedPercent ?? NaN) / 100,
  };
}

async function sessionTarget(gateway: Gateway): Promise<Target> {
  const { port, process } = gateway.router(0);
  const session = await LegacySession.begin(port);
  const measured = legacyEcho(session.headers());
  return requestTarget({ name: 'legacy', port, measured, pids: { router: [process.pid] } });
}
