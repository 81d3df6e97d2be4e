/** Starts what the chosen parts need and makes it measurable. The order of the targets is the order of every round. */
import type { HeaderList } from '../harness/raw-client.js';
import { Standalone } from '../harness/standalone.js';
import { Gateway } from './gateway.js';
import { startLoneServer } from './lone-server.js';
import { LeastGateway } from './least-gateway.js';
import type { BenchOptions, Part } from './options.js';
import { ECHOED_BODY, ECHO_TOOL, toolsList, withHeaders } from './requests.js';
import { flowTarget, requestTarget, type Target } from './target.js';

const MAIN_TOOLS = 10;
const LISTED_TOOLS = 200;

/** Whatever runs, and has to be stopped. */
export interface Running {
  complaints(): string[];
  stop(): Promise<void>;
}

export class BenchTargets {
  private readonly running: Running[] = [];
  private mainGateway: Gateway | undefined;

  constructor(private readonly options: BenchOptions) {}

  /** The gateway of routerWorker, twoRoundFlow and the memory: two routers, one worker, replay service and Redis. */
  async main(): Promise<Gateway> {
    const { cpuProfile } = this.options;
    this.mainGateway ??= this.keep(
      await Gateway.start({ name: 'bench/main', tools: MAIN_TOOLS, routers: 2, replay: true, cpuProfile }),
    );
    return this.mainGateway;
  }

  keep<T extends Running>(started: T): T {
    this.running.push(started);
    return started;
  }

  /** Whatever was started while this ran is stopped when it ends. Rejects when one of these had something to complain of. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const before = this.running.length;
    try {
      const result = await work();
      const complaints = this.running.slice(before).flatMap((each) => each.complaints());
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
      return result;
    } finally {
      for (const each of this.running.splice(before).reverse()) await each.stop();
    }
  }

  async inOrder(): Promise<Target[]> {
    const targets: Target[] = [];
    for (const [part, start] of Object.entries(this.starts) as [Part, () => Promise<Target>][]) {
      if (this.options.parts.has(part)) targets.push(await start());
    }
    return targets;
  }

  /** What must not have happened in any process, in words. */
  complaints(): string[] {
    return this.running.flatMap((each) => each.complaints());
  }

  async stop(): Promise<void> {
    for (const each of this.running.reverse()) await each.stop();
  }

  private readonly starts = {
    bare: () => this.loneServer('bare', 'bare-server'),
    sdkServer: () => this.loneServer('sdkServer', 'sdk-server'),
    standalone: () => this.standalone(),
    routerWorker: () => this.routerWorker(),
    twoRoundFlow: () => this.twoRoundFlow(),
    leastFlow: () => this.leastFlow(),
    toolsList200: () => this.toolsList(),
  } satisfies Partial<Record<Part, () => Promise<Target>>>;

  private async loneServer(name: Part, program: 'bare-server' | 'sdk-server'): Promise<Target> {
    const { port, process } = this.keep(await startLoneServer(program));
    const measured = program === 'bare-server' ? ECHOED_BODY : ECHO_TOOL;
    return requestTarget({ name, port, measured, pids: { server: [process.pid] } });
  }

  private async standalone(): Promise<Target> {
    const { port, process } = this.keep(await Standalone.start({ name: 'bench/standalone' }));
    return requestTarget({ name: 'standalone', port, measured: ECHO_TOOL, pids: { standalone: [process.pid] } });
  }

  private async routerWorker(): Promise<Target> {
    const gateway = await this.main();
    return callTarget('routerWorker', gateway);
  }

  private async twoRoundFlow(): Promise<Target> {
    const gateway = await this.main();
    const [first, second] = [gateway.router(0), gateway.router(1)];
    return flowTarget('twoRoundFlow', [first.port, second.port], {
      routers: [first.process.pid, second.process.pid],
      worker: [gateway.worker.process.pid],
      replay: gateway.replayPids,
      redis: gateway.redisPids,
    });
  }

  private async leastFlow(): Promise<Target> {
    const { routerPorts, pids } = this.keep(await LeastGateway.start());
    return flowTarget('leastFlow', routerPorts, pids);
  }

  private async toolsList(): Promise<Target> {
    const { port, process } = this.keep(await Gateway.start({ name: 'bench/list', tools: LISTED_TOOLS })).router(0);
    return requestTarget({
      name: 'toolsList200',
      port,
      measured: toolsList(LISTED_TOOLS),
      pids: { router: [process.pid] },
    });
  }
}

/** One tools/call through the first router of a gateway. */
export function callTarget(
  name: string,
  gateway: Gateway,
  { connections, headers = [] }: { readonly connections?: number; readonly headers?: HeaderList } = {},
): Promise<Target> {
  const { port, process } = gateway.router(0);
  const pids = { router: [process.pid], worker: [gateway.worker.process.pid] };
  return requestTarget({ name, port, measured: withHeaders(ECHO_TOOL, headers), pids, connections });
}
