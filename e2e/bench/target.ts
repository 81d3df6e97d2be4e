/** Something that can be put under load for a while, and what that showed. */
import { runFlows } from './run-flows.js';
import type { Part } from './options.js';
import { probe } from './probe.js';
import { cpuUsPer, type CpuByRole, type PidsByRole } from './processor-time.js';
import type { MeasuredRequest } from './requests.js';
import { CONNECTIONS, putLoad, type LoadDone } from './wrk.js';

export interface Sample {
  /** Requests, or flows, in a second. */
  readonly perS: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** For each request, or each flow. */
  readonly cpuUs: CpuByRole;
}

export interface Target {
  readonly name: string;
  /** Load that nobody counts, until compiled code and connections have settled. */
  warmUp(seconds: number): Promise<void>;
  measure(seconds: number): Promise<Sample>;
}

export interface RequestTarget {
  readonly name: string;
  readonly port: number;
  readonly measured: MeasuredRequest;
  readonly pids: PidsByRole;
  readonly connections?: number;
}

/** Rejects when the target does not answer as it must. */
export async function requestTarget({ name, port, measured, pids, connections }: RequestTarget): Promise<Target> {
  const replyBytes = await probe(port, measured);
  const { request } = measured;
  const load = (seconds: number): Promise<LoadDone> => putLoad({ port, request, replyBytes, seconds, connections });
  return {
    name,
    warmUp: async (seconds) => void (await load(seconds)),
    measure: async (seconds) => {
      const { done, cpuUs } = await cpuUsPer(pids, () => load(seconds));
      return { perS: done.perS, p50Ms: done.p50Ms, p99Ms: done.p99Ms, cpuUs };
    },
  };
}

export function flowTarget(name: Part, ports: readonly [number, number], pids: PidsByRole): Target {
  // Either router has as many connections as the one router of a single call has: what batches there batches here.
  const order = { kind: 'claimed', ports, clients: ports.length * CONNECTIONS } as const;
  return {
    name,
    // A store that is asked before its first connection has settled may be too late for one confirmation.
    warmUp: async (seconds) => void (await runFlows({ ...order, seconds, mayRefuse: true })),
    measure: async (seconds) => {
      const { done, cpuUs } = await cpuUsPer(pids, () => runFlows({ ...order, seconds, mayRefuse: false }));
      return { perS: done.count / (done.durationMs / 1e3), cpuUs };
    },
  };
}
