/** What each process of a measured gateway is told: ports, catalogue size, configuration files. Nothing is started here. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isListening } from '../harness/free-ports.js';
import { ProcessSeat } from '../harness/process-seat.js';
import type { ProcessOptions } from '../harness/process.js';
import { sendRaw } from '../harness/raw-client.js';
import { programOf } from '../harness/workspace.js';

/** What a measured router has beyond the least. */
export interface RouterExtras {
  /** Laid over its configuration section, one level deep. */
  readonly section?: Readonly<Record<string, unknown>>;
  /** What stands in its policy file; without it there is none. */
  readonly policy?: Readonly<Record<string, unknown>>;
}

export interface GatewayPorts {
  readonly worker: number;
  readonly replay: number | undefined;
  /** Two for each router: MCP and probes. */
  readonly routers: readonly number[];
}

export class GatewayPlan {
  constructor(
    private readonly folder: string,
    private readonly ports: GatewayPorts,
    private readonly extras: RouterExtras,
    /** Where the programs are. */
    private readonly checkout: string,
  ) {}

  worker(extraTools: number): ProcessSeat {
    const port = this.ports.worker;
    return this.seat(
      port,
      { name: 'worker', args: programOf('tool-worker'), isReady: () => isListening(port) },
      {
        ROUNDHOUSE_WORKER_RPC_PORT: String(port),
        ROUNDHOUSE_WORKER_MODULES: 'diagnostics',
        ROUNDHOUSE_WORKER_EXTRA_TOOLS: String(extraTools),
      },
    );
  }

  replay(redisUrl: string, replicasMin: number): ProcessSeat {
    const port = this.ports.replay ?? 0;
    return this.seat(
      port,
      { name: 'replay', args: programOf('replay'), isReady: () => isListening(port) },
      {
        ROUNDHOUSE_REPLAY_RPC_PORT: String(port),
        ROUNDHOUSE_REDIS_URL: redisUrl,
        ROUNDHOUSE_REDIS_REPLICAS_MIN: String(replicasMin),
      },
    );
  }

  routers(count: number, cpuProfile: string | undefined): ProcessSeat[] {
    return Array.from({ length: count }, (_, at) => this.router(at, at === 0 ? cpuProfile : undefined));
  }

  private router(at: number, cpuProfile: string | undefined): ProcessSeat {
    const name = `router-${at + 1}`;
    const [port = 0, adminPort = 0] = this.ports.routers.slice(2 * at);
    const configFile = join(this.folder, `${name}.yaml`);
    // JSON is YAML.
    writeFileSync(configFile, JSON.stringify({ router: this.section(port, adminPort) }, undefined, 2));
    const profiling = cpuProfile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', cpuProfile];
    const args = [...profiling, ...programOf('router')];
    return this.seat(port, { name, args, isReady: () => isReady(adminPort) }, { ROUNDHOUSE_CONFIG_FILE: configFile });
  }

  private section(port: number, adminPort: number): object {
    const { worker, replay, routers } = this.ports;
    return {
      listen: { port },
      admin: { port: adminPort },
      // One audience: a state that one router sealed is meant for the others too.
      publicUrl: `http://${toAddress(routers[0])}/mcp`,
      allowedHosts: [toAddress(port)],
      auth: { mode: 'development' },
      keyset: { file: join(this.folder, 'keyset.json') },
      workers: [{ id: 'bench', addresses: [toAddress(worker)] }],
      ...(replay === undefined ? {} : { replay: { addresses: [toAddress(replay)] } }),
      ...(this.extras.policy !== undefined && { policy: { file: this.policyFile(this.extras.policy) } }),
      ...this.extras.section,
    };
  }

  private policyFile(policy: Readonly<Record<string, unknown>>): string {
    const file = join(this.folder, 'policy.yaml');
    writeFileSync(file, JSON.stringify({ policy }, undefined, 2));
    return file;
  }

  private seat(
    port: number,
    options: Pick<ProcessOptions, 'name' | 'args' | 'isReady'>,
    env: ProcessOptions['env'],
  ): ProcessSeat {
    return new ProcessSeat(port, {
      ...options,
      env,
      cwd: this.checkout,
      logFile: join(this.folder, `${options.name}.log`),
    });
  }
}

function toAddress(port: number | undefined): string {
  return `127.0.0.1:${port}`;
}

async function isReady(adminPort: number): Promise<boolean> {
  const asked = sendRaw({ port: adminPort, method: 'GET', path: '/readyz', withinMs: 2_000 });
  return asked.then(
    ({ status }) => status === 200,
    () => false,
  );
}
