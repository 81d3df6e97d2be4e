/** What each process of a cluster is told, decided once from the options and free ports. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestAuthority } from '@roundhouse/testing';
import { findFreePorts, isListening } from './free-ports.js';
import { ProcessSeat } from './process-seat.js';
import type { ProcessOptions } from './process.js';
import { sendRaw, type HeaderList } from './raw-client.js';
import type { RoundRobinOptions } from './round-robin.js';
import { secretWatch } from './secret-watch.js';
import { ROOT, programOf, type App } from './workspace.js';

export const WORKER_GROUP = 'reference';
/** In the cluster's folder: all routers follow the same one. */
export const POLICY_FILE = 'policy.yaml';
/** There as well: all routers write into it. */
export const AUDIT_FILE = 'audit.jsonl';
/** The most that can be logged: what must never be logged shall be missing there too. */
export const LOG_LEVEL = 'trace';

export interface ClusterOptions {
  /** Folder below out/ for logs, traces, notes and ledgers; emptied at the start. */
  readonly name: string;
  readonly routers?: number;
  readonly workers?: number;
  /** `paired`: router 1 reaches worker 1 alone, and so on, so that another router is also another worker process. */
  readonly wiring?: 'mesh' | 'paired';
  /** How what stands in front of the routers deals with connections. */
  readonly front?: RoundRobinOptions;
  /** Laid over the variables of every process. */
  readonly env?: ProcessOptions['env'];
  /** Laid over the variables of every worker; an empty one is as good as none. */
  readonly workerEnv?: ProcessOptions['env'];
  /** Laid over the configuration section of every router, one level deep. */
  readonly router?: Readonly<Record<string, unknown>>;
  /** Every process shows a certificate of this authority on the rpc, made out to the kind of service it is. */
  readonly authority?: TestAuthority;
  /** What stands in the policy file of every router; without it they have none. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /** What our own first calls need to be served, where that is more than nothing. `resource` is what clients call. */
  readonly headersFor?: (resource: string) => Promise<HeaderList>;
}

export interface PlannedSeats {
  readonly routers: readonly ProcessSeat[];
  readonly workers: readonly ProcessSeat[];
  readonly replay: ProcessSeat;
  /** Where routers hear each other, in their order. */
  readonly peerPorts: readonly number[];
  /** `host:port` of every worker that the router of this name is told of. */
  reachOf(router: string): readonly string[];
}

export class ClusterPlan {
  /** Where a router finds all workers and the replay service. */
  private reach: Readonly<Record<string, unknown>> = {};

  constructor(
    private readonly options: ClusterOptions,
    private readonly folder: string,
    private readonly urls: { readonly frontUrl: string; readonly redisUrl: string },
  ) {}

  async seats(): Promise<PlannedSeats> {
    const { routers = 2, workers = 2, wiring } = this.options;
    const ports = await findFreePorts(2 + 2 * workers + 3 * routers);
    const place = (name: string): Placed => ({ name, port: ports.pop() ?? 0, adminPort: ports.pop() ?? 0 });
    const workerPlaces = Array.from({ length: workers }, (_, at) => place(`worker-${at + 1}`));
    const routerPlaces = Array.from({ length: routers }, (_, at) => place(`router-${at + 1}`));
    const replayPlace = place('replay');
    const peerPorts = routerPlaces.map(() => ports.pop() ?? 0);
    const peers = peerPorts.map(toAddress);
    const all = workerPlaces.map(({ port }) => toAddress(port));
    const addresses = new Map(
      routerPlaces.map(({ name }, at) => [name, wiring === 'paired' ? [all[at % workers] ?? ''] : all]),
    );
    this.reach = {
      workers: [{ id: WORKER_GROUP, addresses: all, ...this.named('worker') }],
      replay: { addresses: [toAddress(replayPlace.port)], ...this.named('replay') },
      ...(this.options.authority && { rpcTls: this.options.authority.issue(serviceName('router')) }),
    };
    return {
      workers: workerPlaces.map((placed) => this.worker(placed)),
      routers: routerPlaces.map((placed, at) => {
        const group = { id: WORKER_GROUP, addresses: addresses.get(placed.name), ...this.named('worker') };
        const peered = { peers: { port: peerPorts[at], addresses: peers, ...this.named('router') } };
        return this.router(placed, { ...this.reach, ...peered, workers: [group], ...this.options.router });
      }),
      ...{ replay: this.replay(replayPlace), peerPorts },
      reachOf: (router) => addresses.get(router) ?? [],
    };
  }

  /** A router that nobody balances to, with settings of its own over those that all have. */
  async strayRouter(name: string, section: Readonly<Record<string, unknown>>): Promise<ProcessSeat> {
    const [port = 0, adminPort = 0] = await findFreePorts(2);
    return this.router({ name, port, adminPort }, { ...this.reach, ...section });
  }

  private replay({ name, port, adminPort }: Placed): ProcessSeat {
    return this.seat(
      { name, port, adminPort, app: 'replay', isReady: () => isListening(port) },
      {
        ROUNDHOUSE_REPLAY_RPC_HOST: '127.0.0.1',
        ROUNDHOUSE_REPLAY_RPC_PORT: String(port),
        ROUNDHOUSE_REPLAY_ADMIN_PORT: String(adminPort),
        ROUNDHOUSE_REDIS_URL: this.urls.redisUrl,
        ...this.certificate('replay', 'ROUNDHOUSE_REPLAY'),
        ROUNDHOUSE_LOG_LEVEL: LOG_LEVEL,
      },
    );
  }

  private worker({ name, port, adminPort }: Placed): ProcessSeat {
    secretWatch.addPage(metricsOf(adminPort));
    return this.seat(
      { name, port, adminPort, app: 'tool-worker', isReady: () => answersReady(adminPort) },
      {
        ROUNDHOUSE_WORKER_RPC_HOST: '127.0.0.1',
        ROUNDHOUSE_WORKER_RPC_PORT: String(port),
        ROUNDHOUSE_WORKER_ADMIN_PORT: String(adminPort),
        ROUNDHOUSE_WORKER_MODULES: 'reference,diagnostics,conformance',
        ROUNDHOUSE_NOTES_DIRECTORY: join(this.folder, 'notes'),
        ROUNDHOUSE_BANK_DIRECTORY: join(this.folder, 'bank'),
        ROUNDHOUSE_PROJECTS_DIRECTORY: join(this.folder, 'projects'),
        ROUNDHOUSE_EXAMPLES_DIRECTORY: join(this.folder, 'examples'),
        ...this.certificate('worker', 'ROUNDHOUSE_WORKER'),
        ROUNDHOUSE_LOG_LEVEL: LOG_LEVEL,
        ...this.options.workerEnv,
      },
    );
  }

  private router({ name, port, adminPort }: Placed, rest: Readonly<Record<string, unknown>>): ProcessSeat {
    const configFile = join(this.folder, `${name}.yaml`);
    secretWatch.addPage(metricsOf(adminPort));
    for (const file of [traceFileOf(this.folder, name), join(this.folder, AUDIT_FILE)]) secretWatch.addFile(file);
    const section = {
      listen: { port },
      admin: { port: adminPort },
      publicUrl: this.urls.frontUrl,
      allowedHosts: [toAddress(port)],
      allowedOrigins: [`http://${toAddress(port)}`],
      auth: { mode: 'development' },
      keyset: { file: join(this.folder, 'keyset.json') },
      tracing: { file: traceFileOf(this.folder, name), ratio: 1 },
      ...(this.options.policy !== undefined && { policy: { file: this.policyFile(this.options.policy) } }),
      // Streams end at once: a scenario has one or two, and waits for them.
      drain: { streamsSpreadMs: 0 },
      audit: { sink: 'file', file: join(this.folder, AUDIT_FILE) },
      logLevel: LOG_LEVEL,
      ...rest,
    };
    // JSON is YAML.
    writeFileSync(configFile, JSON.stringify({ router: section }, undefined, 2));
    return this.seat(
      { name, port, adminPort, app: 'router', isReady: () => answersReady(adminPort) },
      { ROUNDHOUSE_CONFIG_FILE: configFile },
    );
  }

  private named(kind: string): object {
    return this.options.authority === undefined ? {} : { serverName: serviceName(kind) };
  }

  private certificate(kind: string, prefix: string): ProcessOptions['env'] {
    if (this.options.authority === undefined) return {};
    const { certFile, keyFile, caFile } = this.options.authority.issue(serviceName(kind));
    return {
      [`${prefix}_TLS_CERT_FILE`]: certFile,
      [`${prefix}_TLS_KEY_FILE`]: keyFile,
      [`${prefix}_TLS_CA_FILE`]: caFile,
      [`${prefix}_TLS_CLIENT_NAMES`]: serviceName('router'),
    };
  }

  private policyFile(policy: Readonly<Record<string, unknown>>): string {
    const file = join(this.folder, POLICY_FILE);
    writeFileSync(file, JSON.stringify({ policy }, undefined, 2));
    return file;
  }

  private seat(
    { name, port, adminPort, app, isReady }: Placed & Pick<ProcessOptions, 'isReady'> & { readonly app: App },
    env: ProcessOptions['env'],
  ): ProcessSeat {
    return new ProcessSeat(port, {
      name,
      adminPort,
      isReady,
      env: { ...env, ...this.options.env },
      cwd: ROOT,
      args: programOf(app),
      logFile: join(this.folder, `${name}.log`),
    });
  }
}

interface Placed {
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
}

/** What certificates of a kind of service are made out to. */
export function serviceName(kind: string): string {
  return `${kind}.roundhouse.svc`;
}

function toAddress(port: number): string {
  return `127.0.0.1:${port}`;
}

export async function answersReady(adminPort: number): Promise<boolean> {
  return sendRaw({ port: adminPort, method: 'GET', path: '/readyz', withinMs: 2_000 }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

function metricsOf(adminPort: number): string {
  return `http://${toAddress(adminPort)}/metrics`;
}

export function traceFileOf(folder: string, name: string): string {
  return join(folder, `${name}.trace.jsonl`);
}
