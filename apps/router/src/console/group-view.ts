/** A worker group as the console shows it. */
import type { WorkerCatalogue } from '@roundhouse/contracts';
import type { Endpoint } from '../dispatch/endpoint.js';
import type { WorkerGroup } from '../dispatch/worker-group.js';

export type WorkerState = 'ready' | 'set aside' | 'draining' | 'not connected';

export interface WorkerView {
  readonly address: string;
  readonly state: WorkerState;
  readonly inFlight: number;
  /** Its recent peak, which fades. */
  readonly latencyMs: number;
  /** SHA-256 of what it offers; undefined until it described itself. */
  readonly catalogueHash: string | undefined;
}

export interface GroupView {
  readonly id: string;
  readonly prefix: string;
  /** What its workers call themselves; undefined until one described itself. */
  readonly worker: { readonly name: string; readonly version: string } | undefined;
  readonly catalogueHash: string | undefined;
  /** Replicas that take calls offer different things. */
  readonly diverges: boolean;
  readonly offers: {
    readonly tools: number;
    readonly prompts: number;
    readonly resources: number;
    readonly resourceTemplates: number;
  };
  readonly workers: readonly WorkerView[];
}

export function viewOfGroup(group: WorkerGroup, nowMs: number): GroupView {
  const { id, prefix, catalogue, diverges } = group;
  return {
    ...{ id, prefix, diverges, catalogueHash: catalogue?.hash },
    worker: catalogue && { name: catalogue.worker.title ?? catalogue.worker.name, version: catalogue.worker.version },
    offers: {
      ...{ tools: countOf(catalogue, 'tools'), prompts: countOf(catalogue, 'prompts') },
      ...{ resources: countOf(catalogue, 'resources'), resourceTemplates: countOf(catalogue, 'resourceTemplates') },
    },
    workers: Array.from(group.replicas, (endpoint) => viewOfWorker(endpoint, nowMs)),
  };
}

function countOf(catalogue: WorkerCatalogue | undefined, kind: keyof GroupView['offers']): number {
  return catalogue?.[kind].length ?? 0;
}

function viewOfWorker(endpoint: Endpoint, nowMs: number): WorkerView {
  return {
    address: endpoint.name,
    state: stateOf(endpoint, nowMs),
    inFlight: endpoint.inFlight,
    latencyMs: Math.round(endpoint.health.latencyMs(nowMs)),
    catalogueHash: endpoint.catalogue?.hash,
  };
}

function stateOf({ state, health }: Endpoint, nowMs: number): WorkerState {
  if (state === 'ready') return health.isAside(nowMs) ? 'set aside' : 'ready';
  return state === 'draining' ? 'draining' : 'not connected';
}
