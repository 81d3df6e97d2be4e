/** What each process of a fault run is told, and where it listens; ports, settings and logs stay when one is killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SENTINEL_PRIMARY_NAME } from '@roundhouse/testing';
import { findFreePorts, isListening } from '../harness/free-ports.js';
import { ProcessSeat } from '../harness/process-seat.js';
import { sendRaw } from '../harness/raw-client.js';
import { ROOT, programOf, type App } from '../harness/workspace.js';

/**
 * A tool may take so long; an owner that is silent for ten seconds more counts as crashed (REP-8). Short, so that a run of
 * half a minute sees leases end.
 */
const CALL_TIMEOUT_MS = 1_500;
export const LEASE_MS = CALL_TIMEOUT_MS + 10_000;
/** Longer than a run: a state that expired would be refused, and rightly so. */
const FLOW_TTL_MS = 3_600_000;
export const KEYSET_POLL_MS = 500;
const READY_WITHIN_MS = 2_000;

/** The one router whose clock can be wrong. */
export const ROUTER_WITH_OWN_CLOCK = 'router-2';

export interface FaultPlanOptions {
  readonly folder: string;
  /** Whether claims are fenced by the store's epoch (REP-5). */
  readonly isFenced: boolean;
  readonly sentinelAddress: string;
  /** Each router follows a keyset file of its own. */
  readonly hasOwnKeysets?: boolean | undefined;
}

export interface FaultSeats {
  readonly routers: readonly ProcessSeat[];
  readonly workers: readonly ProcessSeat[];
  readonly replays: readonly ProcessSeat[];
  /** Of the routers. */
  readonly adminPorts: readonly number[];
  /** One for each router; all the same where they share it. */
  readonly keysetFiles: readonly string[];
}

interface Place {
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
}

type Section = Readonly<Record<string, unknown>>;

export async function planSeats(options: FaultPlanOptions): Promise<FaultSeats> {
  const ports = await findFreePorts(12);
  const place = (name: string): Place => ({ name, port: ports.pop() ?? 0, adminPort: ports.pop() ?? 0 });
  const [workers, replays] = [['worker-1', 'worker-2'].map(place), ['replay-1', 'replay-2'].map(place)];
  const routers = ['router-1', ROUTER_WITH_OWN_CLOCK].map(place);
  const reach = {
    workers: [{ id: 'reference', addresses: workers.map(toAddress) }],
    replay: { addresses: replays.map(toAddress) },
  };
  const keysetOf = ({ name }: Place): string => keysetFileOf(join(options.folder, options.hasOwnKeysets ? name : ''));
  const seatOf = (app: App, section: Section) => (at: Place) => toSeat(app, { ...at, ...options, section });
  return {
    routers: routers.map((at) => seatOf('router', { ...routerSection(at, keysetOf(at)), ...reach })(at)),
    workers: workers.map((at) => seatOf('tool-worker', workerSection(at, options.folder))(at)),
    replays: replays.map((at) => seatOf('replay', replaySection(at, options))(at)),
    adminPorts: routers.map(({ adminPort }) => adminPort),
    keysetFiles: routers.map(keysetOf),
  };
}

function routerSection(at: Place, keysetFile: string): Section {
  return {
    listen: { port: at.port },
    admin: { port: at.adminPort },
    // One for both routers: it is the audience of every state. Nobody listens there.
    publicUrl: 'http://127.0.0.1:1/mcp',
    allowedHosts: [toAddress(at), '127.0.0.1'],
    auth: { mode: 'development' },
    keyset: { file: keysetFile, pollMs: KEYSET_POLL_MS },
    flow: { formTtlMs: FLOW_TTL_MS, flowTtlMs: FLOW_TTL_MS },
    limits: { callTimeoutMs: CALL_TIMEOUT_MS },
    logLevel: 'warn',
  };
}

function workerSection({ port, adminPort }: Place, folder: string): Section {
  return {
    listen: { port },
    admin: { port: adminPort },
    modules: ['diagnostics'],
    diagnostics: { directory: join(folder, 'runs') },
    logLevel: 'warn',
  };
}

function replaySection({ port }: Place, { sentinelAddress, isFenced }: FaultPlanOptions): Section {
  const sentinel = { sentinels: [sentinelAddress], sentinelName: SENTINEL_PRIMARY_NAME };
  return { listen: { port }, store: { ...sentinel, replicasMin: 1, epochFence: isFenced }, logLevel: 'warn' };
}

interface Planned extends Place {
  readonly folder: string;
  readonly section: Section;
}

const SECTION_NAME: Readonly<Partial<Record<App, string>>> = { 'tool-worker': 'toolWorker' };

function toSeat(app: App, { name, port, adminPort, folder, section }: Planned): ProcessSeat {
  const file = join(folder, `${name}.yaml`);
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ [SECTION_NAME[app] ?? app]: section }, undefined, 2));
  const preload = name === ROUTER_WITH_OWN_CLOCK ? ['--import', './e2e/faults/shifted-clock.mjs'] : [];
  return new ProcessSeat(port, {
    name,
    args: ['--trace-warnings', ...preload, ...programOf(app)],
    env: { ROUNDHOUSE_CONFIG_FILE: file, ROUNDHOUSE_FAULTS_CLOCK_FILE: clockFileOf(folder) },
    cwd: ROOT,
    logFile: join(folder, `${name}.log`),
    isReady: () => (app === 'replay' ? isListening(port) : answersReady(adminPort)),
  });
}

export function keysetFileOf(folder: string): string {
  return join(folder, 'keyset.json');
}

export function clockFileOf(folder: string): string {
  return join(folder, 'clock-offset-ms');
}

/** The workers' own count of what ran. */
export function ledgerFileOf(folder: string): string {
  return join(folder, 'runs', 'runs.jsonl');
}

function toAddress({ port }: Pick<Place, 'port'>): string {
  return `127.0.0.1:${port}`;
}

async function answersReady(adminPort: number): Promise<boolean> {
  return sendRaw({ port: adminPort, method: 'GET', path: '/readyz', withinMs: READY_WITHIN_MS }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
