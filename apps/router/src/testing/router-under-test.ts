/** A real router on an ephemeral port in front of scripted workers, and a client that controls every byte it sends. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { randomBytes } from 'node:crypto';
import { META, MODERN_REVISION } from '@roundhouse/protocol';
import { createKeyset, parseKeyset } from '@roundhouse/sealed-state';
import { formatAddress, type RunningService } from '@roundhouse/service-kit';
import { RouterParts } from '../app.module.js';
import { routerConfig, type RouterConfig } from '../config.js';
import { startRouter } from '../start-router.js';
import { startReplayUnderTest, type ReplayUnderTest } from './replay-under-test.js';
import type { ScriptedWorker } from './scripted-worker.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed body of a JSON answer, or the last message of a stream. */
  readonly body: RpcBody;
  /** All messages of a stream, in order. */
  readonly messages: readonly RpcBody[];
}

export interface RpcBody {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown> & {
    inputRequests?: Record<string, unknown>;
    requestState?: string;
    content?: { text: string }[];
  };
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

export interface RawRequest {
  readonly verb?: string;
  readonly path?: string;
  /** Undefined values remove a default header; arrays send it twice. */
  readonly headers?: Record<string, string | string[] | undefined>;
  readonly body?: string | Buffer;
}

export interface CallOptions {
  readonly principal?: string;
  readonly id?: string | number;
  readonly meta?: Record<string, unknown>;
  readonly capabilities?: Record<string, unknown>;
  readonly headers?: RawRequest['headers'];
}

const FORM = { elicitation: { form: {} } };

export class RouterUnderTest {
  private constructor(
    private readonly router: RunningService,
    private readonly replayUnderTest: ReplayUnderTest,
    private readonly workers: readonly ScriptedWorker[],
  ) {}

  /** Each worker becomes a group of its own, in order: w0, w1… Without `keyset.file` a keyset is made at start. */
  static async start(
    workers: readonly ScriptedWorker[],
    overrides: (config: RouterConfig) => RouterConfig = (same) => same,
  ): Promise<RouterUnderTest> {
    const replay = await startReplayUnderTest();
    const addresses = await Promise.all(workers.map((worker) => worker.start()));
    const base = routerConfig.load({
      ROUNDHOUSE_AUTH_MODE: 'development',
      ROUNDHOUSE_HTTP_PORT: '0',
      ROUNDHOUSE_LOG_LEVEL: 'silent',
    });
    const groups = addresses.map((address, at) => ({ id: `w${at}`, prefix: '', addresses: [address] }));
    const config = overrides({
      ...base,
      workers: groups,
      replay: { addresses: [formatAddress(replay.service.address)] },
      allowedHosts: ['127.0.0.1'],
      drain: { ...base.drain, streamsSpreadMs: 0 },
    });
    const made = parseKeyset(createKeyset({ nowMs: Date.now(), randomBytes }));
    const router = await startRouter(config, config.keyset.file === undefined ? made : undefined);
    const started = new RouterUnderTest(router, replay, workers);
    await started.whenReady();
    return started;
  }

  get replay(): RunningService {
    return this.replayUnderTest.service;
  }

  get claims(): ReplayUnderTest['inHand'] {
    return this.replayUnderTest.inHand;
  }

  get port(): number {
    return this.router.address.port;
  }

  get adminPort(): number | undefined {
    return this.router.adminPort;
  }

  get parts(): RouterParts {
    return this.router.app.get(RouterParts);
  }

  async stop(): Promise<void> {
    await this.router.close();
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.replay.close();
  }

  async send(raw: RawRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = Object.fromEntries(
        Object.entries({ host: '127.0.0.1', ...raw.headers }).filter(([, value]) => value !== undefined),
      );
      const request = httpRequest(
        {
          host: '127.0.0.1',
          port: this.port,
          path: raw.path ?? '/mcp',
          method: raw.verb ?? 'POST',
          headers: headers as Record<string, string>,
          agent: false,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve(toAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString())),
          );
        },
      );
      request.on('error', reject);
      request.end(raw.body);
    });
  }

  /** Sends a tool call and drops the connection as soon as `reached` says so. */
  async abandon(name: string, params: Record<string, unknown>, reached: () => boolean): Promise<void> {
    const request = httpRequest({
      host: '127.0.0.1',
      port: this.port,
      path: '/mcp',
      method: 'POST',
      headers: { ...standardHeaders('tools/call', { name }), 'x-roundhouse-principal': 'alice' },
      agent: false,
    });
    request.on('error', () => undefined);
    request.end(JSON.stringify(modernMessage('tools/call', { name, ...params })));
    while (!reached()) await new Promise((resolve) => setImmediate(resolve));
    request.destroy();
    await new Promise((resolve) => request.once('close', resolve));
  }

  /** A well-formed modern request unless `options` spoil it. */
  async call(method: string, params: Record<string, unknown>, options: CallOptions = {}): Promise<Answer> {
    return this.send({
      headers: {
        ...standardHeaders(method, params),
        ...(options.principal === undefined ? {} : { 'x-roundhouse-principal': options.principal }),
        ...options.headers,
      },
      body: JSON.stringify(modernMessage(method, params, options)),
    });
  }

  async tool(
    name: string,
    args: unknown,
    options: CallOptions & { retry?: Record<string, unknown> } = {},
  ): Promise<Answer> {
    return this.call('tools/call', { name, arguments: args, ...options.retry }, options);
  }

  private async whenReady(): Promise<void> {
    while (this.parts.catalogue.whyNotReady() !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function modernMessage(method: string, params: Record<string, unknown>, options: CallOptions = {}): object {
  const meta = {
    [META.protocolVersion]: MODERN_REVISION,
    [META.clientCapabilities]: options.capabilities ?? FORM,
    ...options.meta,
  };
  return { jsonrpc: '2.0', id: options.id ?? 1, method, params: { ...params, _meta: meta } };
}

export function standardHeaders(method: string, params: Record<string, unknown>): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN_REVISION,
    'mcp-method': method,
    ...(typeof name === 'string' && /^[\x21-\x7e]+$/.test(name) && { 'mcp-name': name }),
  };
}

function toAnswer(status: number, headers: IncomingHttpHeaders, text: string): Answer {
  const isStream = headers['content-type'] === 'text/event-stream';
  const messages = isStream ? parseStream(text) : [];
  const body = isStream ? (messages.at(-1) ?? {}) : text === '' ? {} : (JSON.parse(text) as RpcBody);
  return { status, headers, text, body, messages };
}

function parseStream(text: string): RpcBody[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('event: message\ndata: '))
    .map((event) => JSON.parse(event.slice('event: message\ndata: '.length)) as RpcBody);
}
