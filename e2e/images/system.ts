/** The whole system in containers: Redis and the authorization server are on the machine, everything else is an image. */
import { TestIssuer, startRedisServer, type RunningRedis } from '@roundhouse/testing';
import { answersReady } from '../harness/cluster-plan.js';
import { findFreePorts } from '../harness/free-ports.js';
import { watchToken } from '../harness/secrets-sent.js';
import { ContainerPlans, type Ports } from './container-plans.js';
import { Container, runContainer } from './container.js';
import type { ContainerPlan } from './runtime-spec.js';
import type { UnpackedImages } from './unpacked-images.js';

const PUBLIC_URL = 'https://mcp.example.com/mcp';

export interface RoundTrip {
  readonly code: number | null;
  readonly output: string;
  readonly tookMs: number;
}

export class ContainerSystem {
  readonly containers: Container[] = [];
  private routers: readonly Ports[] = [];

  private constructor(
    private readonly folder: string,
    private readonly plans: ContainerPlans,
    private readonly redis: RunningRedis,
    private readonly issuer: TestIssuer,
  ) {}

  static async start(folder: string, images: UnpackedImages): Promise<ContainerSystem> {
    const redis = await startRedisServer();
    const issuer = await TestIssuer.start({ audience: PUBLIC_URL });
    const around = { folder, images, redisUrl: redis.url, issuer: issuer.url, publicUrl: PUBLIC_URL };
    const system = new ContainerSystem(folder, new ContainerPlans(around), redis, issuer);
    try {
      await system.startAll();
      return system;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  async makeRoundTrip(): Promise<RoundTrip> {
    const token = await this.issuer.sign();
    watchToken('an access token', token);
    const plan = this.plans.roundTrip(token, this.routers);
    const startedMs = performance.now();
    const { code, output } = runContainer({ name: 'round-trip', folder: this.folder, plan });
    return { code, output, tookMs: performance.now() - startedMs };
  }

  /** SIGTERM to each container: its name and its exit code. */
  async stop(): Promise<readonly { readonly name: string; readonly code: number | undefined }[]> {
    const codes = [];
    for (const container of [...this.containers].reverse())
      codes.push({ name: container.name, code: await container.stop() });
    await this.issuer.stop();
    await this.redis.stop();
    return codes;
  }

  private async startAll(): Promise<void> {
    const [replay, first, second, ...others] = await freePorts(6);
    const [routerOne, routerTwo, alone] = others;
    if (!replay || !first || !second || !routerOne || !routerTwo || !alone) throw new Error('ports are missing');
    const workers = [first, second];
    this.routers = [routerOne, routerTwo];
    const made = runContainer({ name: 'keys', folder: this.folder, plan: this.plans.keyset() });
    if (made.code !== 0) throw new Error(`no keyset was made:\n${made.output}`);
    await this.add('replay', replay, this.plans.replay(replay));
    for (const [at, ports] of workers.entries())
      await this.add(`worker-${at + 1}`, ports, this.plans.worker(`worker-${at + 1}`, ports));
    for (const [at, ports] of this.routers.entries())
      await this.add(`router-${at + 1}`, ports, this.plans.router(`router-${at + 1}`, ports, { workers, replay }));
    await this.add('standalone', alone, this.plans.standalone(alone));
  }

  private async add(name: string, { admin }: Ports, plan: ContainerPlan): Promise<void> {
    const isReady = (): Promise<boolean> => answersReady(admin);
    this.containers.push(await Container.start({ name, folder: this.folder, plan, isReady }));
  }
}

async function freePorts(count: number): Promise<Ports[]> {
  const ports = await findFreePorts(2 * count);
  return Array.from({ length: count }, (_, at) => ({ rpc: ports[2 * at] ?? 0, admin: ports[2 * at + 1] ?? 0 }));
}
