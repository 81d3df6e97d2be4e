/**
 * What each container of the whole system is told: two routers that take access tokens, each with a worker of its own as well
 * as the other's, and the replay service. The memory limits are those of the chart.
 */
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerPlan } from './runtime-spec.js';
import type { UnpackedImages } from './unpacked-images.js';

export const MEMORY_MIB = { router: 512, replay: 256, 'tool-worker': 256, standalone: 512 } as const;

const CONFIG = '/etc/roundhouse/config';
const KEYS = '/etc/roundhouse/keys';
const TOKEN = '/etc/roundhouse/token';

/** A tool that the replay service lets run once, and only because a policy grants it. */
const FLOW = { name: 'draft_delete', arguments: { draft: 'welcome' } };
const POLICY = { rules: [{ name: 'all', tools: ['*'], grantsDestructive: true }] };

export interface Ports {
  readonly rpc: number;
  readonly admin: number;
}

export interface Surroundings {
  readonly folder: string;
  readonly images: UnpackedImages;
  readonly redisUrl: string;
  readonly issuer: string;
  readonly publicUrl: string;
}

export class ContainerPlans {
  constructor(private readonly around: Surroundings) {}

  /** Makes a keyset in a folder that only the containers' user can write, as the chart's job does. */
  keyset(): ContainerPlan {
    const folder = join(this.around.folder, 'keys');
    mkdirSync(folder);
    chownSync(folder, 65_532, 65_532);
    const add = ['add', '--create', '--if-absent', '--file', `${KEYS}/keyset.json`];
    return {
      ...this.plan('router'),
      args: ['apps/keys/bin/roundhouse-keys.mjs', ...add],
      mounts: [{ from: folder, to: KEYS, isWritable: true }],
    };
  }

  replay({ rpc, admin }: Ports): ContainerPlan {
    const listen = { host: '127.0.0.1', port: rpc };
    return this.configured('replay', 'replay', {
      replay: { listen, admin: { port: admin }, store: { url: this.around.redisUrl } },
    });
  }

  worker(name: string, { rpc, admin }: Ports): ContainerPlan {
    const listen = { host: '127.0.0.1', port: rpc };
    return this.configured(name, 'tool-worker', { toolWorker: { listen, admin: { port: admin } } });
  }

  router(
    name: string,
    own: Ports,
    others: { readonly workers: readonly Ports[]; readonly replay: Ports },
  ): ContainerPlan {
    const { issuer, publicUrl } = this.around;
    const addressOf = ({ rpc }: Ports): string => `127.0.0.1:${rpc}`;
    const plan = this.configured(name, 'router', {
      router: {
        listen: { port: own.rpc },
        admin: { port: own.admin },
        publicUrl,
        auth: { mode: 'oauth', issuers: [{ issuer }] },
        development: { allowLoopbackIssuers: true },
        keyset: { file: `${KEYS}/keyset.json` },
        workers: [{ id: 'reference', addresses: others.workers.map(addressOf) }],
        replay: { addresses: [addressOf(others.replay)] },
        policy: { file: `${CONFIG}/policy.yaml` },
        drain: { streamsSpreadMs: 0 },
      },
    });
    writeFileSync(join(this.around.folder, `${name}-config`, 'policy.yaml'), JSON.stringify({ policy: POLICY }));
    return { ...plan, mounts: [...(plan.mounts ?? []), { from: join(this.around.folder, 'keys'), to: KEYS }] };
  }

  standalone({ rpc, admin }: Ports): ContainerPlan {
    const env = { ROUNDHOUSE_HTTP_PORT: String(rpc), ROUNDHOUSE_ADMIN_PORT: String(admin) };
    return { ...this.plan('standalone'), env };
  }

  /** What `helm test` runs. */
  roundTrip(token: string, routers: readonly Ports[]): ContainerPlan {
    const folder = join(this.around.folder, 'token');
    mkdirSync(folder);
    writeFileSync(join(folder, 'token'), token);
    const reach = routers.map(({ rpc }) => `--router=127.0.0.1:${rpc}`);
    const options = [
      `--url=${this.around.publicUrl}`,
      `--token-file=${TOKEN}/token`,
      '--wait=5',
      ...reach,
      `--flow=${JSON.stringify(FLOW)}`,
    ];
    return {
      ...this.plan('router'),
      args: ['apps/round-trip/bin/roundhouse-round-trip.mjs', ...options],
      mounts: [{ from: folder, to: TOKEN }],
    };
  }

  private configured(name: string, app: keyof typeof MEMORY_MIB, config: object): ContainerPlan {
    const folder = join(this.around.folder, `${name}-config`);
    mkdirSync(folder);
    // JSON is YAML.
    writeFileSync(join(folder, 'roundhouse.yaml'), JSON.stringify(config, undefined, 2));
    return {
      ...this.plan(app),
      env: { ROUNDHOUSE_CONFIG_FILE: `${CONFIG}/roundhouse.yaml` },
      mounts: [{ from: folder, to: CONFIG }],
    };
  }

  private plan(app: keyof typeof MEMORY_MIB): ContainerPlan {
    return { ...this.around.images.get(app), memoryMiB: MEMORY_MIB[app] };
  }
}
