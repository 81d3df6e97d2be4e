/** The spans that a process wrote, one JSON object a line. A span is there once it has ended. */
import { existsSync, readFileSync } from 'node:fs';

export interface SpanLine {
  readonly service: string;
  readonly pid: number;
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly SpanLinkLine[];
}

export interface SpanLinkLine {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** `host:port` of the worker that a call went to; undefined for spans that called none. */
export function serverOf({ attributes }: SpanLine): string | undefined {
  const port = attributes['server.port'];
  return port === undefined ? undefined : `${String(attributes['server.address'])}:${String(port)}`;
}

export function readSpans(file: string): SpanLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SpanLine);
}
