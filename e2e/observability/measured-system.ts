/** A running system and a Prometheus that reads it, after traffic of every kind. */
import { join } from 'node:path';
import { Cluster } from '../harness/cluster.js';
import { Prometheus } from '../harness/prometheus.js';
import type { World } from '../harness/scenario.js';
import { sendEveryKind, type Sent } from './every-kind-of-traffic.js';
import { ruleFiles } from './rule-files.js';

const NAME = 'e2e/telemetry-dashboards';

export class MeasuredSystem implements World {
  private constructor(
    readonly cluster: Cluster,
    readonly prometheus: Prometheus,
    readonly sent: Sent,
  ) {}

  static async start(): Promise<MeasuredSystem> {
    const audit = { sink: 'stdout' };
    const policy = { rules: [{ name: 'all', tools: ['*'], grantsDestructive: true }] };
    const cluster = await Cluster.start({ name: NAME, wiring: 'paired', router: { audit }, policy });
    const ports = (seats: readonly { readonly adminPort: number }[]): number[] => seats.map((seat) => seat.adminPort);
    let prometheus: Prometheus | undefined;
    try {
      prometheus = await Prometheus.start({
        folder: join(cluster.folder, 'prometheus'),
        jobs: {
          'roundhouse-router': ports(cluster.routers),
          'roundhouse-tool-worker': ports(cluster.workers),
          'roundhouse-replay': ports([cluster.replay]),
        },
        ruleFiles: ruleFiles(),
      });
      return new MeasuredSystem(cluster, prometheus, await sendEveryKind(cluster));
    } catch (error) {
      await prometheus?.stop();
      await cluster.stop();
      throw error;
    }
  }

  complaints(): string[] {
    return [...this.cluster.complaints(), ...this.prometheus.complaints()];
  }

  async stop(): Promise<void> {
    await this.prometheus.stop();
    await this.cluster.stop();
  }
}
