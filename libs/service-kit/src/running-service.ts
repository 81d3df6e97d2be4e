/**
 * How a process of ours starts, says that it is ready, drains and stops. Knows nothing of what the service does.
 */
import type { ServerOptions } from 'node:http';
import type { Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Readings, type Family } from '@roundhouse/telemetry';
import type { FastifyServerOptions } from 'fastify';
import { AdminServer, type AdminOptions, type AdminPages, type Readiness } from './admin-server.js';
import { JsonLogger } from './json-logger.js';
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
  /** What the admin port shows besides the probes. */
  readonly pages?: (app: INestApplicationContext) => AdminPages;
  /** What is measured; undefined leaves the page of metrics out. */
  readonly metrics?: ((app: INestApplicationContext) => readonly Family[]) | undefined;
  /** Services of the same process whose metrics are shown on this one's page, after its own. */
  readonly beside?: readonly RunningService[] | undefined;
  readonly drain?: (app: INestApplicationContext) => Drain;
  /** How long running work may take after a stop was asked for. */
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
}

/** Default of `drainTimeoutMs`; the chart's grace period stands above it (HLM-12). */
export const DRAIN_TIMEOUT_MS = 60_000;

/** For closing what is idle by then. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Starts a Nest microservice (tool worker, replay service) on the framed TCP transport. */
export async function startMicroservice(options: ServiceOptions): Promise<RunningService> {
  const logger = new JsonLogger(options.name, options.logLevel);
  const { listen, tls } = options;
  const app = await NestFactory.createMicroservice(options.module, {
    logger,
    abortOnError: false,
    strategy: new RpcServer(listen, tls && { identity: new TlsIdentity(tls), clientNames: tls.clientNames }),
  });
  await app.listen();
  return running(options, app, portOf(app.unwrap<Server>()));
}

/** Starts a Nest application on Fastify (router). Its routes are registered by its own module. */
export async function startHttpService(
  options: ServiceOptions,
  fastify: FastifyServerOptions & { readonly http?: ServerOptions },
): Promise<RunningService> {
  const logger = new JsonLogger(options.name, options.logLevel);
  const adapter = new FastifyAdapter(fastify);
  const app = await NestFactory.create<NestFastifyApplication>(options.module, adapter, {
    logger,
    abortOnError: false,
    bodyParser: false,
  });
  await app.listen(options.listen.port, options.listen.host);
  return running(options, app, portOf(app.getHttpServer() as Server));
}

async function running(options: ServiceOptions, app: INestApplicationContext, port: number): Promise<RunningService> {
  let draining = false;
  const ready = options.readiness?.(app);
  const readiness = (): string | undefined => (draining ? 'draining' : ready?.());
  const metrics = options.metrics?.(app) ?? [];
  const pages = { ...options.pages?.(app), ...(options.metrics && metricsPage(options, metrics)) };
  const admin = options.admin && (await AdminServer.start(options.admin, readiness, pages));
  const drain = options.drain?.(app);
  const close = async (): Promise<void> => {
    if (draining) return;
    draining = true;
    drain?.begin();
    await within(options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS, drain?.idle());
    // A peer that holds its connection open in the middle of a message must not hold the process.
    await within(CLOSE_TIMEOUT_MS, app.close());
    await admin?.close();
  };
  const address = { host: options.listen.host, port };
  return { name: options.name, metrics, app, address, adminPort: admin?.port, close };
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

async function within(timeoutMs: number, work: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work ?? Promise.resolve(), limit]);
  clearTimeout(timer);
}
