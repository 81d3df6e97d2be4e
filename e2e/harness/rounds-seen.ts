/** What the routers' spans say about a flow: who served each round, on which worker, and what links to what. */
import type { Cluster } from './cluster.js';
import { serverOf, type SpanLine } from './trace-file.js';
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
  const served = spans.filter(
    ({ kind, attributes }) => kind === 'SERVER' && attributes['roundhouse.flow.id'] === flowId,
  );
  return served.map((span) => {
    const below = spans.filter(({ parentSpanId, traceId }) => parentSpanId === span.spanId && traceId === span.traceId);
    // What the replay service was asked is no run.
    const runs = below.filter(({ attributes }) => attributes['mcp.method.name'] !== undefined);
    return {
      span,
      round: Number(span.attributes['roundhouse.mrtr.round']),
      routerPid: span.pid,
      runs,
      workerAddress: runs[0] && serverOf(runs[0]),
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

/** Id of the first flow of a tool, or of the first that is none of those known already. */
export function flowIdOfTool(
  cluster: Cluster,
  tool: string,
  known: ReadonlySet<unknown> = new Set(),
): Promise<unknown> {
  return awaitFlowId(cluster, ['gen_ai.tool.name', tool], known);
}

/** Ids of all flows of a tool whose spans have been written. */
export function flowIdsOfTool(cluster: Cluster, tool: string): ReadonlySet<unknown> {
  return new Set(flowIdsOf(cluster, ['gen_ai.tool.name', tool]));
}

type Named = readonly [attribute: string, value: string];

function flowIdsOf(cluster: Cluster, [attribute, value]: Named): unknown[] {
  const named = cluster.spans().filter(({ attributes }) => attributes[attribute] === value);
  return named.map(({ attributes }) => attributes['roundhouse.flow.id']).filter((flowId) => flowId !== undefined);
}

function awaitFlowId(cluster: Cluster, named: Named, known: ReadonlySet<unknown> = new Set()): Promise<unknown> {
  const [, value] = named;
  const find = (): unknown => flowIdsOf(cluster, named).find((flowId) => !known.has(flowId));
  return until(find, { what: `the flow of ${value} in the trace files`, withinMs: SPAN_WITHIN_MS });
}
