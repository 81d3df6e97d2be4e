/** A cluster whose processes all send their spans to one collector, beside the files that the routers write. */
import { Cluster } from './cluster.js';
import { SpanCollector } from './span-collector.js';
import type { SpanLine } from './trace-file.js';
import { until } from './until.js';

/** A batch leaves after a second; a process that waits for a collector tries again within a few. */
const SPANS_WITHIN_MS = 20_000;

export class TracedWorld {
  private constructor(
    readonly cluster: Cluster,
    readonly collector: SpanCollector,
  ) {}

  /** @param name folder below out/ */
  static async start(name: string): Promise<TracedWorld> {
    const collector = await SpanCollector.start();
    try {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
      return new TracedWorld(await Cluster.start({ name, wiring: 'paired', env }), collector);
    } catch (error) {
      await collector.goAway();
      throw error;
    }
  }

  /** Spans of a flow that the collector has, once `isComplete` says that all of them are there. */
  async awaitFlow(flowId: unknown, isComplete: (spans: readonly SpanLine[]) => boolean): Promise<readonly SpanLine[]> {
    const find = (): readonly SpanLine[] | false => {
      const spans = this.collector.spans.filter(({ attributes }) => attributes['roundhouse.flow.id'] === flowId);
      return isComplete(spans) && spans;
    };
    return until(find, { what: `the spans of flow ${String(flowId)} at the collector`, withinMs: SPANS_WITHIN_MS });
  }

  /** The server's span of a request, by the request's id. */
  async awaitRequest(id: string): Promise<SpanLine> {
    const find = (): SpanLine | undefined =>
      this.collector.spans.find(({ kind, attributes }) => kind === 'SERVER' && attributes['jsonrpc.request.id'] === id);
    return until(find, { what: `the span of request ${id} at the collector`, withinMs: SPANS_WITHIN_MS });
  }

  /** The first spans of this process, after the collector forgot all. */
  async awaitAnyOf(wanted: number | undefined): Promise<void> {
    const any = (): boolean => this.collector.spans.some(({ pid }) => pid === wanted);
    await until(any, { what: `any spans of process ${wanted} at the collector`, withinMs: SPANS_WITHIN_MS });
  }

  complaints(): string[] {
    return this.cluster.complaints();
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.collector.goAway();
  }
}
