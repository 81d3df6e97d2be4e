/** A cluster whose workers serve every reference tool, the page of connect_report_service included. */
import { join } from 'node:path';
import { Cluster } from './cluster.js';
import { findFreePorts } from './free-ports.js';
import type { ManagedProcess } from './process.js';
import { pageUrlAt, startReportPage } from './report-page.js';

export class AskingWorld {
  private constructor(
    readonly cluster: Cluster,
    private readonly page: ManagedProcess,
  ) {}

  /** @param name folder below out/ */
  static async start(name: string): Promise<AskingWorld> {
    const [port = 0] = await findFreePorts(1);
    const cluster = await Cluster.start({
      name,
      wiring: 'paired',
      // The page is on loopback, without TLS.
      router: { development: { allowInsecureUrls: true } },
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

  complaints(): string[] {
    return [...this.cluster.complaints(), ...this.page.complaints()];
  }

  async stop(): Promise<void> {
    await this.page.stop();
    await this.cluster.stop();
  }
}
