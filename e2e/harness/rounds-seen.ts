/** What the routers' spans say about a flow: who served each round, on which worker, and what links to what. */
import type { Cluster } from './cluster.js';
import type { SpanLine } from './trace-file.js';
import { until } from './until.js';

const SPAN_WITHIN_MS = 5_000;

export interface RoundSeen {
  readonly span: SpanLine;
  readonly round: number;
  readonly routerPid: number;
  /** Runs of this round on workers: one span each. */
  readonly runs: readonly SpanLine[];
  /** `host:port` of the worker of the first run. */
  readonly workerAddress: unknown;
}

/** Rounds of a flow by their start. */
export function roundsOf(cluster: Cluster, flowId: unknown): RoundSeen[] {
  const spans = cluster.spans();
  const served = spans.filter(({ attributes }) => attributes['roundhouse.flow.id'] === flowId);
  return served.map((span) => {
    const runs = spans.filter(({ parentSpanId, traceId }) => parentSpanId === span.spanId && traceId === span.traceId);
    return {
      span,
      round: Number(span.attributes['roundhouse.mrtr.round']),
      routerPid: span.pid,
      runs,
      workerAddress: runs[0]?.attributes['server.address'],
    };
  });
}

/** The same once at least `count` rounds have ended: spans are written a moment after the reply. */
export function awaitRounds(cluster: Cluster, flowId: unknown, count: number): Promise<RoundSeen[]> {
  const seen = (): RoundSeen[] | false => {
    const rounds = roundsOf(cluster, flowId);
    return rounds.length >= count && rounds;
  };
  return until(seen, { what: `${count} rounds of a flow in the trace files`, withinMs: SPAN_WITHIN_MS });
}

/** Id of the flow that a request belonged to, by the request's own id. */
export function flowIdOf(cluster: Cluster, requestId: string | number): Promise<unknown> {
  return awaitFlowId(cluster, ['jsonrpc.request.id', String(requestId)]);
}

/** Id of the first flow of a tool. */
export function flowIdOfTool(cluster: Cluster, tool: string): Promise<unknown> {
  return awaitFlowId(cluster, ['gen_ai.tool.name', tool]);
}

function awaitFlowId(cluster: Cluster, [attribute, value]: readonly [string, string]): Promise<unknown> {
  // The span of the worker call names request and tool too; only the request's own span names the flow.
  const find = (): unknown => {
    const named = cluster.spans().filter(({ attributes }) => attributes[attribute] === value);
    return named.map(({ attributes }) => attributes['roundhouse.flow.id']).find((flowId) => flowId !== undefined);
  };
  return until(find, { what: `the flow of ${value} in the trace files`, withinMs: SPAN_WITHIN_MS });
}
