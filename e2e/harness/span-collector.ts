/**
 * A collector of the tests' own: takes OTLP over HTTP in JSON and keeps the spans. It can go away and come back under the
 * same address, which is what collectors do.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { findFreePorts } from './free-ports.js';
import type { SpanLine } from './trace-file.js';

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes?: readonly OtlpAttribute[];
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly links?: readonly OtlpLink[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** Numbers of the protocol's SpanKind. */
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT'];

export class SpanCollector {
  private server: Server | undefined;
  private received: SpanLine[] = [];

  private constructor(readonly port: number) {}

  static async start(): Promise<SpanCollector> {
    const [port = 0] = await findFreePorts(1);
    const collector = new SpanCollector(port);
    await collector.comeBack();
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** All spans so far, by start. */
  get spans(): readonly SpanLine[] {
    return [...this.received].sort((a, b) => a.startMs - b.startMs);
  }

  async comeBack(): Promise<void> {
    const server = createServer((request, response) => void this.take(request, response));
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }

  async goAway(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  forget(): void {
    this.received = [];
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (isTraces) this.received.push(...toLines(JSON.parse(await readText(request)) as OtlpRequest));
    response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function toLines({ resourceSpans }: OtlpRequest): SpanLine[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = toRecord(resource.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => toLine(span, about)));
  });
}

function toLine(span: OtlpSpan, about: Readonly<Record<string, unknown>>): SpanLine {
  const { traceId, spanId, parentSpanId, name } = span;
  const [startMs, endMs] = [toMs(span.startTimeUnixNano), toMs(span.endTimeUnixNano)];
  return {
    service: String(about['service.name']),
    pid: Number(about['process.pid']),
    ...{ traceId, spanId, name, startMs },
    kind: KINDS[span.kind] ?? 'UNKNOWN',
    ...(parentSpanId !== undefined && { parentSpanId }),
    durationMs: endMs - startMs,
    attributes: toRecord(span.attributes),
    links: (span.links ?? []).map((link) => ({
      traceId: link.traceId,
      spanId: link.spanId,
      attributes: toRecord(link.attributes ?? []),
    })),
  };
}

function toRecord(attributes: readonly OtlpAttribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function toMs(unixNano: string): number {
  return Number(BigInt(unixNano) / 1_000n) / 1_000;
}
