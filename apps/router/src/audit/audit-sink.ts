/** Where audit lines go: standard output, a file, or a collector. Each takes a batch whole or rejects, and keeps nothing. */
import { appendFile } from 'node:fs/promises';
import { readSecretFile } from '../access/secret-file.js';

export interface AuditSink {
  /** `text` is one JSON object a line, the last one ended too. */
  write(text: string, signal: AbortSignal): Promise<void>;
}

export class StdoutSink implements AuditSink {
  constructor(private readonly stream: Pick<NodeJS.WriteStream, 'write'>) {}

  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** Opened for each batch, so that whoever rotates the file need not tell us. */
export class FileSink implements AuditSink {
  constructor(private readonly path: string) {}

  async write(text: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await appendFile(this.path, text, { mode: 0o600 });
  }
}

export interface HttpSinkOptions {
  readonly url: string;
  /** Read for each batch, so that the token may change. */
  readonly tokenFile: string | undefined;
}

export class HttpSink implements AuditSink {
  constructor(private readonly options: HttpSinkOptions) {}

  async write(body: string, signal: AbortSignal): Promise<void> {
    const { url, tokenFile } = this.options;
    const headers: Record<string, string> = { 'content-type': 'application/x-ndjson' };
    if (tokenFile !== undefined) headers['authorization'] = `Bearer ${await readSecretFile(tokenFile)}`;
    // A collector that sends us elsewhere would be sent our token there.
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered ${response.status}`);
  }
}
