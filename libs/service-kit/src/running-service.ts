/**
 * How a process of ours starts, says that it is ready, drains and stops. Knows nothing of what the service does.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Readings, type Family } from '@roundhouse/telemetry';
import type { FastifyServerOptions } from 'fastify';
import {
  AdminServer,
  type AdminControls,
  type AdminOptions,
  type AdminPages,
  type Readiness,
} from './admin/admin-server.js';
import { LeavingResponse, leave, type Leaving } from './http-drain.js';
import { JsonLogger } from './log/json-logger.js';
import { LOG_LEVEL_PATH, LogLevelSwitch } from './log/log-level.js';
import { Patience } from './patience.js';
import { METRICS_PATH, MetricsPage } from './metrics-page.js';
import type { Address } from './rpc/address.js';
import { RpcServer } from './rpc/rpc-server.js';
import { TlsIdentity, type TlsFiles } from './rpc/tls-identity.js';
import { spansDropped } from './tracing/bounded-export.js';
import { VERSION } from './version.js';

/** What a stopping service still has to do: refuse new work at once, then wait for the rest. */
export interface Drain {
  begin(): void;
  idle(): Promise<void>;
  /** Whoever asked for the stop asked again: what waits only out of politeness ends now. */
  hasten?(): void;
}

export interface ListenTls extends TlsFiles {
  /** Names that callers' certificates are made out to. */
  readonly clientNames: readonly string[];
}

export interface ServiceOptions {
  readonly name: string;
  readonly module: Type | DynamicModule;
  readonly listen: Address;
  /** Of a microservice: both sides then show a certificate. */
  readonly tls?: ListenTls | undefined;
  readonly admin?: AdminOptions;
  readonly logLevel?: string;
  readonly readiness?: (app: INestApplicationContext) => Readiness;
  /** Why the service has not begun to serve; asked until it has once. Default: it has when it listens. */
  readonly started?: (app: INestApplicationContext) => Readiness;
  /** What the admin port shows besides the probes and the log level. */
  readonly pages?: (app: INestApplicationContext, readiness: Readiness) => AdminPages;
  /** What is measured; undefined leaves the page of metrics out. */
  readonly metrics?: ((app: INestApplicationContext) => readonly Family[]) | undefined;
  /** Services of the same process whose metrics are shown on this one's page, after its own. */
  readonly beside?: readonly RunningService[] | undefined;
  readonly drain?: (app: INestApplicationContext) => Drain;
  /** How long a service that was asked to stop goes on as before, unready, until nobody sends it anything. Default: 0. */
  readonly lingerMs?: number;
  /** How long running work may take after that. */
  readonly drainTimeoutMs?: number;
}

export interface RunningService {
  readonly name: string;
  readonly metrics: readonly Family[];
  readonly app: INestApplicationContext;
  readonly address: Address;
  /** Undefined without an admin port. */
  readonly adminPort: number | undefined;
  close(): Promise<void>;
  /** Ends the waiting of a `close` under way. */
  hasten(): void;
}

/** Default of `drainTimeoutMs`; the chart's grace period stands above it (HLM-12). */
export const DRAIN_TIMEOUT_MS = 60_000;

/** For closing what is idle by then. */
const CLOSE_TIMEOUT_MS = 5_000;

/** A started application, and how its port is left. */
interface Started {
  readonly app: INestApplicationContext;
  readonly port: number;
  readonly logger: JsonLogger;
  /** Stops taking connections. */
  leave(patience: Patience): Leaving;
}

const loggers = new Map<string, JsonLogger>();

/** One for all parts of a service, because Nest writes everything with the last that it was given: one level rules it. */
function loggerOf({ name, logLevel = 'info' }: ServiceOptions): JsonLogger {
  const key = `${name} ${logLevel}`;
  const logger = loggers.get(key) ?? new JsonLogger(name, logLevel);
  loggers.set(key, logger);
  return logger;
}

/** Starts a Nest microservice (tool worker, replay service) on the framed TCP transport. */
export async function startMicroservice(options: ServiceOptions): Promise<RunningService> {
  const logger = loggerOf(options);
  const { listen, tls } = options;
  const app = await NestFactory.createMicroservice(options.module, {
    logger,
    abortOnError: false,
    strategy: new RpcServer(listen, tls && { identity: new TlsIdentity(tls), clientNames: tls.clientNames }),
  });
  await app.listen();
  // Its callers are told by their open `watch`, and hold their connections until the end.
  return running(options, {
    app,
    logger,
    port: portOf(app.unwrap<Server>()),
    leave: () => ({ told: Promise.resolve(), left: Promise.resolve() }),
  });
}

/** Answers a request before Fastify looks at it; false leaves it to Fastify. */
export type Take = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface HttpOptions extends Omit<ServerOptions, 'ServerResponse'> {
  readonly clientErrorHandler: NonNullable<FastifyServerOptions['clientErrorHandler']>;
  /** For what is asked so often that routing it would cost more than a twentieth of answering it (ADR 0013). */
  readonly take: Take;
}

/** Starts a Nest application on Fastify (router). Its routes are registered by its own module. */
export async function startHttpService(options: ServiceOptions, http: HttpOptions): Promise<RunningService> {
  const logger = loggerOf(options);
  const { clientErrorHandler, take, ...server } = http;
  const adapter = new FastifyAdapter({
    clientErrorHandler,
    serverFactory: (route: RequestListener) =>
      createServer({ ...server, ServerResponse: LeavingResponse } as ServerOptions, (request, response) => {
        if (!take(request, response)) route(request, response);
      }),
  });
  const app = await NestFactory.create<NestFastifyApplication>(options.module, adapter, {
    logger,
    abortOnError: false,
    bodyParser: false,
  });
  await app.listen(options.listen.port, options.listen.host);
  const listening = app.getHttpServer() as HttpServer;
  return running(options, { app, logger, port: portOf(listening), leave: (patience) => leave(listening, patience) });
}

async function running(options: ServiceOptions, { app, port, logger, leave }: Started): Promise<RunningService> {
  let closing: Promise<void> | undefined;
  const patience = new Patience();
  const ready = options.readiness?.(app);
  const readiness = (): string | undefined => (closing === undefined ? ready?.() : 'draining');
  const metrics = options.metrics?.(app) ?? [];
  const level = new LogLevelSwitch(logger);
  const admin =
    options.admin &&
    (await AdminServer.start(options.admin, {
      readiness,
      ...(options.started && { started: options.started(app) }),
      pages: {
        [LOG_LEVEL_PATH]: () => level.report(),
        ...options.pages?.(app, readiness),
        ...(options.metrics && metricsPage(options, metrics)),
      },
      controls: { [LOG_LEVEL_PATH]: (body) => level.change(body) } satisfies AdminControls,
    }));
  const drain = options.drain?.(app);
  const goDown = async (): Promise<void> => {
    await patience.wait(options.lingerMs ?? 0);
    const { told, left } = leave(patience);
    drain?.begin();
    // Who is told in an answer sent a call first.
    const done = told.then(() => drain?.idle());
    await patience.wait(options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS, done);
    // A peer that holds its connection open in the middle of a message must not hold the process.
    await new Patience().wait(CLOSE_TIMEOUT_MS, Promise.all([app.close(), left]));
    level.stop();
    await admin?.close();
  };
  return {
    name: options.name,
    metrics,
    app,
    address: { host: options.listen.host, port },
    adminPort: admin?.port,
    close: () => (closing ??= goDown()),
    hasten: () => {
      drain?.hasten?.();
      patience.end();
    },
  };
}

function metricsPage({ name, beside = [] }: ServiceOptions, own: readonly Family[]): AdminPages {
  const names = [name, ...beside.map((service) => service.name)];
  const builds = new Readings('roundhouse_build_info', () => names.map((each) => [[each, VERSION], 1] as const));
  const dropped = new Readings('roundhouse_telemetry_spans_dropped_total', () => [[[], spansDropped()]]);
  const page = new MetricsPage([builds, dropped, ...own, ...beside.flatMap(({ metrics }) => metrics)]);
  return { [METRICS_PATH]: (accept) => page.read(accept) };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
