/** The one screen where the router's classes meet. */
import { Module, type DynamicModule, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { SEALED_BYTES_HARD_MAX, StateSealer, type Keyset } from '@roundhouse/sealed-state';
import type { FastifyInstance } from 'fastify';
import type { Access } from './access/access.js';
import { openAccess, type OpenAccess } from './access/open-access.js';
import { CallGate } from './access/call-gate.js';
import { PolicyKeeper } from './access/policy-keeper.js';
import { registerResourceMetadata } from './access/resource-metadata-route.js';
import { openAudit, type OpenAudit } from './audit/open-audit.js';
import { CatalogueKeeper } from './catalogue/catalogue-keeper.js';
import { discoverResult } from './catalogue/discover.js';
import { VisibleLists } from './catalogue/visible-lists.js';
import type { RouterConfig } from './config.js';
import { discoveryFor } from './dispatch/discovery.js';
import { InFlight } from './intake/in-flight.js';
import { McpEndpoint } from './intake/mcp-endpoint.js';
import { registerMcpRoute } from './intake/mcp-route.js';
import { KeysetKeeper } from './keyset/keyset-keeper.js';
import { OpenLegacy } from './legacy/open-legacy.js';
import { openLimits, type OpenLimits } from './limits/open-limits.js';
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
  private readonly limits: OpenLimits;
  private readonly audit: OpenAudit;
  readonly streams: ListenStreams;
  readonly legacy: OpenLegacy;
  readonly endpoint: McpEndpoint;

  constructor(
    readonly config: RouterConfig,
    readonly keyset: KeysetKeeper,
  ) {
    const { limits, flow, cache } = config;
    const publicUrl = new URL(config.publicUrl);
    const sealer = new StateSealer({
      keyset: keyset.current,
      audience: publicUrl.href,
      clock: Date.now,
      sealedBytesMax: SEALED_BYTES_HARD_MAX,
    });
    this.keepAlive = new KeepAlive(limits);
    this.inFlight = new InFlight(limits.callsMax, this.keepAlive);
    const pages = { pageSize: limits.listPageSize, ttlMs: cache.listTtlMs, meta: RESULT_META };
    this.catalogue = new CatalogueKeeper(config, pages);
    this.replay = new ReplayClient(discoveryFor(config.replay, () => undefined));
    this.access = openAccess(config, this.replay);
    this.policy = PolicyKeeper.open(config, () => this.catalogue.visibilityChanged());
    const hasReplay = config.replay.addresses.length > 0 || config.replay.dns !== undefined;
    this.limits = openLimits(config, { replay: hasReplay ? this.replay : undefined, policy: this.policy });
    this.audit = openAudit(config, () => this.catalogue.snapshot.pages.tools.hash);
    const gate = new CallGate(this.policy, this.access.gate, config.auth.requiredScopes);
    const epochs = new EpochKeeper(this.replay);
    const mayRead = (access: Access, uri: string): boolean => gate.mayRead(access, uri, this.catalogue.snapshot);
    this.streams = new ListenStreams({ ...limits, keepAlive: this.keepAlive, mayRead });
    this.legacy = new OpenLegacy(config, {
      ...{ sealer, mayRead, streams: this.streams, keepAlive: this.keepAlive },
      replay: hasReplay ? this.replay : undefined,
    });
    const calls = new CallRounds(
      this.catalogue,
      new FlowSealer(sealer, { flow, epochs, shelf: hasReplay ? new StateShelf(this.replay, sealer) : undefined }),
      new ClaimKeeper({ replay: this.replay, sealer, epochs, skewMs: flow.skewMs, audience: publicUrl.href }),
      {
        callTimeoutMs: limits.callTimeoutMs,
        allowInsecureUrls: config.development.allowInsecureUrls,
        inFlight: this.inFlight,
        gate,
        limits: this.limits.calls,
        auditor: this.audit.auditor,
      },
    );
    this.endpoint = new McpEndpoint(
      {
        access: this.access.control,
        hosts: [publicUrl.host, ...config.allowedHosts],
        origins: [publicUrl.origin, ...config.allowedOrigins],
        bodyBytesMax: limits.bodyBytesMax,
        discover: discoverResult(cache.listTtlMs),
      },
      {
        ...{ catalogue: this.catalogue, calls, streams: this.streams, inFlight: this.inFlight },
        ...{ gate, auditor: this.audit.auditor, limits: this.limits.calls, visible: new VisibleLists(gate, pages) },
        legacy: this.legacy.endpoint,
      },
    );
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
    this.policy.stop();
    this.limits.exchange.stop();
    this.catalogue.stop();
    this.replay.stop();
    this.keepAlive.stop();
    await this.audit.stream?.close();
  }
}

@Module({})
export class RouterModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly parts: RouterParts,
    private readonly http: HttpAdapterHost,
  ) {}

  /** `keyset` is given by the standalone process, which makes one at start; others follow the file they are told. */
  static forConfig(config: RouterConfig, keyset?: Keyset): DynamicModule {
    const keeper = keyset === undefined ? KeysetKeeper.follow(config) : KeysetKeeper.hold(keyset);
    return {
      module: RouterModule,
      providers: [
        { provide: RouterParts, useValue: new RouterParts(config, keeper) },
        { provide: APP_FILTER, useClass: NotFoundFilter },
      ],
    };
  }

  async onModuleInit(): Promise<void> {
    const fastify = this.http.httpAdapter.getInstance<FastifyInstance>();
    const { config, endpoint, access } = this.parts;
    registerMcpRoute(fastify, new URL(config.publicUrl).pathname, endpoint);
    if (access.resource !== undefined) registerResourceMetadata(fastify, access.resource);
    await this.parts.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.stop();
  }
}
