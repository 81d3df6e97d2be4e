/** A cluster whose workers serve every reference tool, the page of connect_report_service included. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from './cluster.js';
import type { ClusterOptions } from './cluster-plan.js';
import { findFreePorts } from './free-ports.js';
import type { ManagedProcess } from './process.js';
import { pageUrlAt, startReportPage } from './report-page.js';
import { OUT } from './workspace.js';

export interface AskingWorldOptions extends Pick<ClusterOptions, 'wiring' | 'router'> {
  /** Its time can be passed. */
  readonly hasOwnClock?: boolean;
}

/** As every process reads it, time and again. */
const CLOCK = new URL('../faults/shifted-clock.mjs', import.meta.url).href;
const CLOCK_READ_MS = 500;
const CLOCK_FILE = 'clock';

export class AskingWorld {
  private passedMs = 0;

  private constructor(
    readonly cluster: Cluster,
    private readonly page: ManagedProcess,
  ) {}

  /** @param name folder below out/ */
  static async start(
    name: string,
    { router, hasOwnClock = false, ...options }: AskingWorldOptions = { wiring: 'paired' },
  ): Promise<AskingWorld> {
    const [port = 0] = await findFreePorts(1);
    const cluster = await Cluster.start({
      ...{ name, ...options },
      ...(hasOwnClock && { env: { NODE_OPTIONS: `--import ${CLOCK}`, ROUNDHOUSE_FAULTS_CLOCK_FILE: clockFile(name) } }),
      // The page is on loopback, without TLS.
      router: { development: { allowInsecureUrls: true }, ...router },
      workerEnv: { ROUNDHOUSE_REPORTS_PAGE_URL: pageUrlAt(port) },
    });
    const { folder } = cluster;
    try {
      return new AskingWorld(cluster, await startReportPage({ folder, directory: join(folder, 'examples'), port }));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** On the clocks of all processes at once. */
  async passTime(ms: number): Promise<void> {
    this.passedMs += ms;
    writeFileSync(join(this.cluster.folder, CLOCK_FILE), String(this.passedMs));
    await sleep(CLOCK_READ_MS);
  }

  complaints(): string[] {
    return [...this.cluster.complaints(), ...this.page.complaints()];
  }

  async stop(): Promise<void> {
    await this.page.stop();
    await this.cluster.stop();
  }
}

function clockFile(name: string): string {
  return join(OUT, name, CLOCK_FILE);
}
