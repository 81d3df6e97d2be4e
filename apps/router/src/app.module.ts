/** The one screen where the router's classes meet. */
import { Module, type DynamicModule, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { SEALED_BYTES_HARD_MAX, StateSealer, type Keyset } from '@roundhouse/sealed-state';
import { TlsIdentity } from '@roundhouse/service-kit';
import type { Family } from '@roundhouse/telemetry';
import type { FastifyInstance } from 'fastify';
import type { Access } from './access/access.js';
import { openAccess, type OpenAccess } from './access/open-access.js';
import { CallGate } from './access/call-gate.js';
import { PolicyKeeper } from './access/policy-keeper.js';
import { registerIssuerMetadata } from './access/issuer-metadata-route.js';
import { registerResourceMetadata } from './access/resource-metadata-route.js';
import { openAudit, type OpenAudit } from './audit/open-audit.js';
import { CatalogueKeeper } from './catalogue/catalogue-keeper.js';
import { discoverResult } from './catalogue/discover.js';
import { VisibleLists } from './catalogue/visible-lists.js';
import type { RouterConfig } from './config.js';
import { ExchangeWatch } from './console/exchange-watch.js';
import { hasEndpoints } from './discovery/endpoint-sources.js';
import { openDiscovery } from './discovery/open-discovery.js';
import { dialWith } from './dispatch/dial.js';
import { InFlight } from './intake/in-flight.js';
import { McpEndpoint } from './intake/mcp-endpoint.js';
import { KeysetKeeper } from './keyset/keyset-keeper.js';
import { OpenLegacy } from './legacy/open-legacy.js';
import { openLimits, type OpenLimits } from './limits/open-limits.js';
import { RouterMeasures } from './measures/router-measures.js';
import { routerReadings } from './measures/router-readings.js';
import { KeepAlive } from './reply/keep-alive.js';
import { NotFoundFilter } from './reply/not-found-filter.js';
import { CallRounds } from './rounds/call-rounds.js';
import { ClaimKeeper } from './rounds/claim-keeper.js';
import { EpochKeeper } from './rounds/epoch-keeper.js';
import { FlowSealer } from './rounds/flow-sealer.js';
import { ReplayClient } from './rounds/replay-client.js';
import { StateShelf } from './rounds/state-shelf.js';
import { RESULT_META } from './rounds/server-identity.js';
import { ListenStreams } from './subscriptions/listen-streams.js';

/** Everything of the router that starts, drains or stops; made once from the configuration. */
export class RouterParts {
  readonly keepAlive: KeepAlive;
  readonly inFlight: InFlight;
  readonly catalogue: CatalogueKeeper;
  readonly replay: ReplayClient;
  readonly access: OpenAccess;
  readonly policy: PolicyKeeper;
  private readonly identity: TlsIdentity | undefined;
  readonly limits: OpenLimits;
  readonly audit: OpenAudit;
  /** Undefined where nothing is measured. */
  private readonly measures: RouterMeasures | undefined;
  readonly streams: ListenStreams;
  readonly legacy: OpenLegacy;
  readonly watch = new ExchangeWatch(() => this.catalogue.snapshot);
  readonly endpoint: McpEndpoint;

  constructor(
    readonly config: RouterConfig,
    readonly keyset: KeysetKeeper,
  ) {
    const { limits, flow, cache } = config;
    const publicUrl = new URL(config.publicUrl);
    const sealer = sealerFor(publicUrl, keyset);
    this.keepAlive = new KeepAlive(limits);
    this.identity = config.rpcTls && new TlsIdentity(config.rpcTls);
    this.inFlight = new InFlight(limits.callsMax, this.keepAlive);
    const pages = { pageSize: limits.listPageSize, ttlMs: cache.listTtlMs, meta: RESULT_META };
    this.catalogue = new CatalogueKeeper(config, pages, this.identity);
    this.replay = replayFor(config, this.identity);
    this.measures = config.metrics.enabled ? new RouterMeasures(this) : undefined;
    this.access = openAccess(config, this.replay, this.measures?.onKeys);
    this.policy = PolicyKeeper.open(config, () => this.catalogue.visibilityChanged());
    const hasReplay = hasEndpoints(config.replay);
    this.limits = openLimits(config, { replay: hasReplay ? this.replay : undefined, policy: this.policy });
    this.audit = openAudit(config, () => this.catalogue.snapshot.pages.tools.hash);
    const gate = new CallGate(this.policy, this.access.gate, config.auth.requiredScopes);
    const epochs = new EpochKeeper(this.replay);
    const mayRead = (access: Access, uri: string): boolean => gate.mayRead(access, uri, this.catalogue.snapshot);
    const { keepAlive, identity } = this;
    this.streams = new ListenStreams({
      ...{ ...limits, keepAlive, mayRead, onEnd: this.measures?.onStreamEnd },
      onOpen: (exchange) => this.audit.auditor.served(exchange),
    });
    this.legacy = new OpenLegacy(config, {
      ...{ sealer, mayRead, streams: this.streams, keepAlive, identity },
      replay: hasReplay ? this.replay : undefined,
    });
    const claims = { replay: this.replay, sealer, epochs, skewMs: flow.skewMs, audience: publicUrl.href };
    const calls = new CallRounds(
      this.catalogue,
      new FlowSealer(sealer, { flow, epochs, shelf: hasReplay ? new StateShelf(this.replay, sealer) : undefined }),
      new ClaimKeeper({ ...claims, onClaim: this.measures?.onClaim }),
      {
        callTimeoutMs: limits.callTimeoutMs,
        allowInsecureUrls: config.development.allowInsecureUrls,
        ...{ inFlight: this.inFlight, gate },
        limits: this.limits.calls,
        openFlows: this.limits.flows,
        auditor: this.audit.auditor,
      },
    );
    this.endpoint = new McpEndpoint(
      {
        access: this.access.control,
        ...allowedBy(config, publicUrl),
        bodyBytesMax: limits.bodyBytesMax,
        discover: discoverResult(cache.listTtlMs),
      },
      {
        ...{ catalogue: this.catalogue, calls, streams: this.streams, inFlight: this.inFlight },
        ...{ gate, auditor: this.audit.auditor, limits: this.limits.calls, visible: new VisibleLists(gate, pages) },
        ...{ measures: this.measures, watch: this.watch, legacy: this.legacy.endpoint },
      },
    );
  }

  /** `keyset` is given by the standalone process, which makes one at start; others follow the file they are told. */
  static for(config: RouterConfig, keyset?: Keyset): RouterParts {
    return new RouterParts(config, keyset === undefined ? KeysetKeeper.follow(config) : KeysetKeeper.hold(keyset));
  }

  /** Undefined where nothing is measured. */
  get families(): readonly Family[] | undefined {
    return this.measures && [...this.measures.families, ...routerReadings(this)];
  }

  async start(): Promise<void> {
    this.keyset.start();
    this.catalogue.listen(this.streams);
    this.catalogue.start();
    this.replay.start();
    void this.access.warm();
    await this.legacy.start();
  }

  async stop(): Promise<void> {
    await this.legacy.stop();
    this.keyset.stop();
    this.identity?.close();
    this.policy.stop();
    this.limits.exchange.stop();
    this.catalogue.stop();
    this.replay.stop();
    this.keepAlive.stop();
    await this.audit.stream?.close();
  }
}

function replayFor({ replay, kubernetes }: RouterConfig, identity: TlsIdentity | undefined): ReplayClient {
  return new ReplayClient({
    discovery: openDiscovery(replay, { kubernetes, onFailure: () => undefined }),
    dial: dialWith(identity, replay.serverName),
  });
}

function sealerFor({ href }: URL, { current }: KeysetKeeper): StateSealer {
  return new StateSealer({
    keyset: current,
    audience: href,
    clock: Date.now,
    sealedBytesMax: SEALED_BYTES_HARD_MAX,
  });
}

/** Whose requests are read at all. */
function allowedBy({ allowedHosts, allowedOrigins }: RouterConfig, { host, origin }: URL) {
  return { hosts: [host, ...allowedHosts], origins: [origin, ...allowedOrigins] };
}

@Module({})
export class RouterModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly parts: RouterParts,
    private readonly http: HttpAdapterHost,
  ) {}

  static of(parts: RouterParts): DynamicModule {
    return {
      module: RouterModule,
      providers: [
        { provide: RouterParts, useValue: parts },
        { provide: APP_FILTER, useClass: NotFoundFilter },
      ],
    };
  }

  async onModuleInit(): Promise<void> {
    const fastify = this.http.httpAdapter.getInstance<FastifyInstance>();
    const { access } = this.parts;
    if (access.resource !== undefined) registerResourceMetadata(fastify, access.resource);
    if (access.issuer !== undefined) registerIssuerMetadata(fastify, access.issuer);
    await this.parts.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.stop();
  }
}
