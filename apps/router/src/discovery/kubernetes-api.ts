/**
 * Reads from the Kubernetes API server as a pod does: its token and the cluster's certificate from files, read for each
 * request because both are renewed on disk. One connection a request: there are two in five minutes.
 */
import { readFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { once } from 'node:events';

/** A page of a list of 500 slices of 100 endpoints each is about 20 MB. */
const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;
/** One slice holds at most 1,000 endpoints, about 400 bytes each. */
const LINE_BYTES_MAX = 2 * 1024 * 1024;
/** From the start of a request to the head of its answer. */
const ANSWER_TIMEOUT_MS = 10_000;
/** Finds out about a path that swallows packets, long before the kernel's default of two hours. */
const TCP_KEEP_ALIVE_MS = 15_000;

export interface KubernetesApiOptions {
  /** `https://host:port`. */
  readonly url: string;
  readonly tokenFile: string;
  readonly caFile: string;
  readonly namespaceFile: string;
}

/** The API server answered, but not with what was asked for. Its text is left out: it quotes the request. */
export class KubernetesRefusal extends Error {
  constructor(readonly status: number) {
    super(`the Kubernetes API server answered ${status}`);
  }
}

export class KubernetesApi {
  constructor(private readonly options: KubernetesApiOptions) {}

  /** Of the pod that this process runs in. */
  async ownNamespace(): Promise<string> {
    return (await readFile(this.options.namespaceFile, 'utf8')).trim();
  }

  /** Throws `KubernetesRefusal`, or what the network or the parser throws. */
  async document(path: string, signal: AbortSignal): Promise<unknown> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of (await this.get(path, signal)) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > DOCUMENT_BYTES_MAX) throw new Error(`a list is longer than ${DOCUMENT_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  }

  /** The events of a watch as they come; ends when the server ends it. */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<unknown> {
    let rest: Buffer[] = [];
    let size = 0;
    for await (const chunk of (await this.get(path, signal)) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8');
        rest = [];
        size = 0;
        from = end + 1;
        if (line.trim() !== '') yield JSON.parse(line);
      }
      size += chunk.length - from;
      if (size > LINE_BYTES_MAX) throw new Error(`an event is longer than ${LINE_BYTES_MAX} bytes`);
      rest.push(chunk.subarray(from));
    }
  }

  private async get(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(path, this.options.url);
    const token = (await readFile(this.options.tokenFile, 'utf8')).trim();
    const options: RequestOptions = {
      agent: false,
      signal,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, ca: await readFile(this.options.caFile) })
        : httpRequest(url, options);
    const silent = setTimeout(() => request.destroy(new Error('the API server is silent')), ANSWER_TIMEOUT_MS);
    try {
      // Whoever reads the response sees what ends it; without a listener the process would end, too.
      request.on('error', () => undefined);
      request.on('socket', (socket) => socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS));
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      if (response.statusCode === 200) return response;
      response.destroy();
      throw new KubernetesRefusal(response.statusCode ?? 0);
    } finally {
      clearTimeout(silent);
    }
  }
}
