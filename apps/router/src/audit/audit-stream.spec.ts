import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { auditSchema } from './audit-settings.js';
import { FileSink, HttpSink, StdoutSink, type AuditSink } from './audit-sink.js';
import { AuditStream, BATCH_LINES_MAX, type AuditStreamOptions } from './audit-stream.js';

type Change = Parameters<AuditStreamOptions['onChange']>[0];

/** A sink that a test can stop, and let go on. */
class HeldSink implements AuditSink {
  readonly batches: string[][] = [];
  fails = false;
  hangs = false;

  async write(text: string): Promise<void> {
    if (this.hangs) return new Promise(() => undefined);
    if (this.fails) throw Object.assign(new Error('no'), { code: 'ENOSPC' });
    this.batches.push(text.trimEnd().split('\n'));
  }

  get lines(): unknown[] {
    return this.batches.flat().map((line) => JSON.parse(line) as unknown);
  }
}

let sink: HeldSink;
let changes: Change[];
beforeEach(() => {
  [sink, changes] = [new HeldSink(), []];
});

function open(options: Partial<AuditStreamOptions> = {}): AuditStream {
  return new AuditStream({
    ...{ sink, onFailure: 'block', timeoutMs: 5_000, retryMs: 1 },
    onChange: (change) => void changes.push(change),
    ...options,
  });
}
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};
const REFUSED = expect.objectContaining({ code: 'audit_unavailable', reason: 'audit_failed' });

describe('the audit stream', () => {
  it('writes every line once, in order, in batches', async () => {
    const stream = open();
    for (let at = 0; at < BATCH_LINES_MAX + 10; at += 1) stream.record({ at });
    await until(() => stream.size === 0);
    expect(sink.lines).toEqual(Array.from({ length: BATCH_LINES_MAX + 10 }, (_, at) => ({ at })));
    expect(sink.batches.map(({ length }) => length)).toEqual([BATCH_LINES_MAX, 10]);
  });

  it('keeps a line whole, whatever is in it', async () => {
    const stream = open();
    stream.record({ text: 'a\nb\u2028c' });
    await until(() => stream.size === 0);
    expect(sink.lines).toEqual([{ text: 'a\nb\u2028c' }]);
  });

  it('refuses calls while the sink fails, and takes them again after that, nothing lost', async () => {
    sink.fails = true;
    const stream = open();
    stream.record({ at: 0 });
    await until(() => changes.length === 1);
    expect(() => stream.record({ at: 1 })).toThrow(REFUSED);
    sink.fails = false;
    await until(() => changes.length === 2);
    stream.record({ at: 2 });
    await until(() => stream.size === 0);
    expect(sink.lines).toEqual([{ at: 0 }, { at: 2 }]);
    expect(changes).toEqual([
      { failed: true, cause: 'ENOSPC', dropped: 0 },
      { failed: false, dropped: 0 },
    ]);
  });

  it('refuses calls when the queue is full', () => {
    sink.hangs = true;
    const stream = open({ queueLinesMax: 2 });
    stream.record({ at: 0 });
    stream.record({ at: 1 });
    expect(() => stream.record({ at: 2 })).toThrow(REFUSED);
  });

  it('never refuses because of what was refused anyway', () => {
    sink.hangs = true;
    const stream = open({ queueLinesMax: 1 });
    for (let at = 0; at < 3; at += 1) expect(() => stream.noteRefusal({ at })).not.toThrow();
    expect(stream.size).toBe(1);
  });

  it('keeps half of the queue for calls, whatever is refused', () => {
    sink.hangs = true;
    const stream = open({ queueLinesMax: 10 });
    for (let at = 0; at < 100; at += 1) stream.noteRefusal({ at });
    expect(stream.size).toBe(5);
    for (let at = 0; at < 5; at += 1) stream.record({ at });
    expect(() => stream.record({ at: 5 })).toThrow(REFUSED);
  });

  it('never refuses what has happened', () => {
    sink.hangs = true;
    const stream = open({ queueLinesMax: 2 });
    for (let at = 0; at < 5; at += 1) expect(() => stream.note({ at })).not.toThrow();
    expect(stream.size).toBe(2);
  });

  it('drops where it is told to, and records how many', async () => {
    sink.fails = true;
    const stream = open({ onFailure: 'drop', queueLinesMax: 2 });
    for (let at = 0; at < 5; at += 1) stream.record({ at });
    await until(() => changes.length === 1);
    sink.fails = false;
    await until(() => changes.length === 2);
    expect(sink.lines).toEqual([{ at: 0 }, { at: 1 }, { event: 'dropped', count: 3, time: expect.any(String) }]);
    expect(changes[1]).toEqual({ failed: false, dropped: 3 });
  });

  it('does not wait for ever for a sink that hangs', async () => {
    sink.hangs = true;
    const stream = open({ timeoutMs: 5 });
    stream.record({ at: 0 });
    await until(() => changes.length === 1);
    sink.hangs = false;
    await until(() => stream.size === 0);
    expect(sink.lines).toEqual([{ at: 0 }]);
  });

  it('writes what waits when it is closed', async () => {
    const stream = open();
    stream.record({ at: 0 });
    await stream.close();
    expect(sink.lines).toEqual([{ at: 0 }]);
  });

  it('closes although the sink fails', async () => {
    sink.fails = true;
    const stream = open();
    stream.record({ at: 0 });
    await stream.close();
    expect(sink.lines).toEqual([]);
  });
});

describe('sinks', () => {
  const signal = AbortSignal.timeout(60_000);
  let folder: string;
  let server: Server | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'));
    server = undefined;
  });
  afterEach(() => {
    server?.close();
    rmSync(folder, { recursive: true });
  });

  it('append to a file that only its owner reads, and go on in a new one when it was moved', async () => {
    const path = join(folder, 'audit.jsonl');
    const file = new FileSink(path);
    await file.write('1\n', signal);
    await file.write('2\n', signal);
    renameSync(path, `${path}.1`);
    await file.write('3\n', signal);
    expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['1\n2\n', '3\n']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('fail when there is no place to write to', async () => {
    await expect(new FileSink(join(folder, 'absent', 'x')).write('1\n', signal)).rejects.toThrow();
  });

  it('fail when standard output does', async () => {
    const broken = { write: (_text: string, told: (error: Error) => void) => (told(new Error('EPIPE')), false) };
    await expect(new StdoutSink(broken as never).write('1\n')).rejects.toThrow('EPIPE');
  });

  async function collector(status: number, headers = {}): Promise<{ url: string; seen: unknown[] }> {
    const seen: unknown[] = [];
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { authorization, 'content-type': type } = request.headers;
        seen.push({ body, authorization, type });
        response.writeHead(status, headers).end();
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
  }

  it('post to a collector, with its token', async () => {
    const { url, seen } = await collector(204);
    writeFileSync(join(folder, 'token'), 'MARK_token\n');
    await new HttpSink({ url, tokenFile: join(folder, 'token') }).write('{"a":1}\n', signal);
    expect(seen).toEqual([{ body: '{"a":1}\n', authorization: 'Bearer MARK_token', type: 'application/x-ndjson' }]);
  });

  it.each([400, 401, 429, 500, 503])('fail when the collector answers %d', async (status) => {
    const { url } = await collector(status);
    await expect(new HttpSink({ url, tokenFile: undefined }).write('1\n', signal)).rejects.toThrow(String(status));
  });

  it('do not follow a collector elsewhere', async () => {
    const { url, seen } = await collector(307, { location: '/other' });
    await expect(new HttpSink({ url, tokenFile: undefined }).write('1\n', signal)).rejects.toThrow();
    expect(seen).toHaveLength(1);
  });

  it('do not post without the token that they were told to send', async () => {
    const { url, seen } = await collector(204);
    const http = new HttpSink({ url, tokenFile: join(folder, 'absent') });
    await expect(http.write('1\n', signal)).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  it.each([
    ['a file that is not named', { sink: 'file' }],
    ['a collector that is not named', { sink: 'http' }],
    ['a file and a collector', { sink: 'file', file: 'x', url: 'https://a.example/' }],
    ['a file for standard output', { sink: 'stdout', file: 'x' }],
    ['a token over http', { sink: 'http', url: 'http://a.example/', tokenFile: 'x' }],
    ['another scheme', { sink: 'http', url: 'ftp://a.example/' }],
  ])('are refused with %s', (_what, settings) => {
    expect(auditSchema.safeParse(settings).success).toBe(false);
  });
});
