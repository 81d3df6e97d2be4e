/**
 * Services, what each release consists of, and what runs where. The ledger is the truth about the latter: a deployment
 * counts when it is the first on top of the revision it was planned for, so replicas agree without a lock.
 */
import type { Call } from '@roundhouse/worker-kit';
import { appendFirst, toLine } from '../../ledger/first-line.js';
import type { Ledger, LedgerLine } from '../../ledger/ledger.js';

export const ENVIRONMENTS = ['staging', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Component → version. */
export type Manifest = Readonly<Record<string, string>>;

export interface Service {
  readonly name: string;
  /** Subjects of the principals who may deploy it; `*`: everyone. */
  readonly deployers: readonly string[];
  /** Where it may run; what is not listed is never touched. */
  readonly environments: readonly Environment[];
  readonly initial: Manifest;
  readonly releases: Readonly<Record<string, Manifest>>;
}

export interface EnvironmentChange {
  readonly environment: Environment;
  /** Deployments that counted before this one: what the change was computed against. */
  readonly revision: number;
  /** `component: from → to`, ordered by component. */
  readonly changes: readonly string[];
}

/** What a deployment of one release would change, environment by environment. */
export type ChangeSet = readonly EnvironmentChange[];

export const SEEDED_SERVICES: readonly Service[] = [
  {
    name: 'timetable',
    deployers: ['*'],
    environments: ENVIRONMENTS,
    initial: { api: '1.0', schema: '7', web: '1.0' },
    releases: {
      '1.1': { api: '1.1', schema: '7', web: '1.1' },
      '1.2': { api: '1.2', schema: '8', web: '1.2' },
    },
  },
  {
    name: 'departures',
    deployers: ['*'],
    environments: ENVIRONMENTS,
    initial: { board: '3.0' },
    releases: { '3.1': { board: '3.1' }, '3.2': { board: '3.2' } },
  },
  {
    name: 'lamp-room',
    deployers: ['*'],
    environments: ['staging'],
    initial: { stock: '1.0' },
    releases: { '1.1': { stock: '1.1' } },
  },
  {
    name: 'signals',
    deployers: ['signaller'],
    environments: ENVIRONMENTS,
    initial: { interlocking: '4.0' },
    releases: { '4.1': { interlocking: '4.1' } },
  },
];

export class Releases {
  private readonly services: ReadonlyMap<string, Service>;

  constructor(
    private readonly ledger: Ledger,
    services: readonly Service[] = SEEDED_SERVICES,
  ) {
    this.services = new Map(services.map((service) => [service.name, service]));
  }

  /** Undefined when there is none that this principal may deploy. */
  find(name: string, { principal }: Pick<Call, 'principal'>): Service | undefined {
    const service = this.services.get(name);
    const subject = principal.kind === 'user' ? principal.subject : '*';
    return service?.deployers.some((each) => each === '*' || each === subject) ? service : undefined;
  }

  async changeSet(service: Service, version: string): Promise<ChangeSet> {
    const lines = await this.ledger.read();
    const wanted = manifestOf(service, version);
    return service.environments.map((environment) => {
      const { revision, manifest } = liveOf(lines, service, environment);
      return { environment, revision, changes: differences(manifest, wanted) };
    });
  }

  /** False when something else was deployed there since the change was computed. */
  async deploy(
    service: Service,
    version: string,
    { planned, call }: { readonly planned: EnvironmentChange; readonly call: Pick<Call, 'flowId' | 'idempotencyKey'> },
  ): Promise<boolean> {
    const { environment, revision } = planned;
    return appendFirst(this.ledger, toLine(call, { service: service.name, version, environment, revision }), placeOf);
  }
}

export function hasRelease(service: Service, version: string): boolean {
  return Object.hasOwn(service.releases, version);
}

function manifestOf(service: Service, version: string): Manifest {
  return (Object.hasOwn(service.releases, version) ? service.releases[version] : undefined) ?? service.initial;
}

/** One place in the history of one environment: only one deployment can take it. */
function placeOf(line: LedgerLine): string {
  return JSON.stringify([line['service'], line['environment'], line['revision']]);
}

function liveOf(
  lines: readonly LedgerLine[],
  service: Service,
  environment: Environment,
): { readonly revision: number; readonly manifest: Manifest } {
  let revision = 0;
  let manifest = service.initial;
  for (const line of lines) {
    if (placeOf(line) !== JSON.stringify([service.name, environment, revision])) continue;
    revision += 1;
    manifest = manifestOf(service, String(line['version']));
  }
  return { revision, manifest };
}

function differences(from: Manifest, to: Manifest): string[] {
  const components = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return components
    .filter((component) => from[component] !== to[component])
    .map((component) => `${component}: ${from[component] ?? 'none'} → ${to[component] ?? 'none'}`);
}
