/** A cluster with one more router, which learns from an API server of Kubernetes where workers and the replay service are. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubernetesApiServer, type SliceContent } from '@roundhouse/testing';
import { Cluster } from './cluster.js';
import { WORKER_GROUP, traceFileOf } from './cluster-plan.js';
import { sendMcp } from './mcp-request.js';
import type { ProcessSeat } from './process-seat.js';
import type { World } from './scenario.js';
import { readSpans, serverOf } from './trace-file.js';

const NAMESPACE = 'roundhouse';
const TOKEN = 'a token that only the pod has';
const WORKERS = 'notes';
/** What the workers' Service is known by; the replay service is known by its name. */
const LABELS = { 'app.kubernetes.io/component': 'mcp-worker' };
const REPLAY = 'replay';
const ECHO = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'who' } } };
const CALLS = 20;

export class SlicesWorld implements World {
  private constructor(
    readonly cluster: Cluster,
    readonly api: KubernetesApiServer,
    readonly router: ProcessSeat,
  ) {}

  static async start(): Promise<SlicesWorld> {
    const api = new KubernetesApiServer({ namespace: NAMESPACE, token: TOKEN });
    await api.start();
    const cluster = await Cluster.start({ name: 'e2e/endpoint-slices', routers: 1 });
    const file = (name: string, text: string): string => {
      const path = join(cluster.folder, name);
      writeFileSync(path, text);
      return path;
    };
    api.put('replay-1', { service: REPLAY, port: cluster.replay.port, endpoints: [{ address: '127.0.0.1' }] });
    // Without any worker it would not be ready.
    api.put(cluster.workers[0]?.name ?? '', sliceOf(cluster.workers[0]));
    const router = await cluster.startStrayRouter('router-in-kubernetes', {
      kubernetes: {
        url: api.url,
        tokenFile: file('token', TOKEN),
        caFile: file('ca.crt', ''),
        namespaceFile: file('namespace', NAMESPACE),
      },
      workers: [{ id: WORKER_GROUP, kubernetes: { selector: 'app.kubernetes.io/component=mcp-worker' } }],
      replay: { kubernetes: { service: REPLAY } },
    });
    return new SlicesWorld(cluster, api, router);
  }

  ready(at: number, isReady = true): void {
    const worker = this.workerAt(at);
    this.api.put(worker.name, sliceOf(worker, isReady));
  }

  remove(at: number): void {
    this.api.delete(this.workerAt(at).name);
  }

  workerAt(at: number): ProcessSeat {
    const worker = this.cluster.workers[at];
    if (worker === undefined) throw new Error(`there is no worker ${at}`);
    return worker;
  }

  /** Which workers served a number of calls, made at once so that none is left out. */
  async servers(): Promise<Set<number>> {
    const file = traceFileOf(this.cluster.folder, this.router.name);
    const before = readSpans(file).length;
    const replies = await Promise.all(Array.from({ length: CALLS }, () => sendMcp(this.router.port, ECHO)));
    const since = readSpans(file).slice(before);
    const addresses = since.map(serverOf);
    const served = this.cluster.workers.map(({ port }) => addresses.includes(`127.0.0.1:${port}`));
    const all = replies.every(({ status }) => status === 200);
    return new Set(all ? served.flatMap((has, at) => (has ? [at] : [])) : []);
  }

  complaints(): string[] {
    return this.cluster.complaints();
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.api.stop();
  }
}

/** On loopback workers differ by their port, so each has a slice of its own. */
function sliceOf(worker: ProcessSeat | undefined, isReady = true): SliceContent {
  const { name = '', port = 0 } = worker ?? {};
  return { service: WORKERS, labels: LABELS, port, endpoints: [{ address: '127.0.0.1', uid: name, ready: isReady }] };
}
