/** The spans that a process wrote, one JSON object a line. A span is there once it has ended. */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

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

/** Where the file ends now, for those who want only what is added. */
export function endOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** @param from byte after which spans are wanted */
export function readSpans(file: string, from = 0): SpanLine[] {
  if (!existsSync(file)) return [];
  const text = readFrom(file, Math.max(0, from - 1));
  // A line that is being written is not there yet, and one that was at `from` belongs to what was before.
  const lines = text.slice(from === 0 ? 0 : text.indexOf('\n') + 1, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SpanLine);
}

function readFrom(file: string, position: number): string {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(opened).size - position);
    return bytes.toString('utf8', 0, readSync(opened, bytes, 0, bytes.length, position));
  } finally {
    closeSync(opened);
  }
}
