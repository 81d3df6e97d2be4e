/** Everything of the router that older clients need, made from its configuration; nothing where none of them is served. */
import type { Asks } from '@roundhouse/contracts';
import type { StateSealer } from '@roundhouse/sealed-state';
import { formatAddress, type RunningService, type TlsIdentity } from '@roundhouse/service-kit';
import type { Access } from '../access/access.js';
import type { RouterConfig } from '../config.js';
import { openDiscovery } from '../discovery/open-discovery.js';
import { dialWith } from '../dispatch/dial.js';
import type { KeepAlive } from '../reply/keep-alive.js';
import { randomId } from '../rounds/random-id.js';
import type { ReplayClient } from '../rounds/replay-client.js';
import type { ListenStreams } from '../subscriptions/listen-streams.js';
import { CallBridge, type Whereabouts } from './call-bridge.js';
import { ChangeStreams } from './change-streams.js';
import { Courier } from './courier.js';
import { Journals } from './journals.js';
import { LegacyEndpoint } from './legacy-endpoint.js';
import { PeerInbox, startPeerServer } from './peer-server.js';
import { Peers } from './peers.js';
import { PendingAsks } from './pending-asks.js';
import { References } from './references.js';
import { RouterMessages } from './router-messages.js';
import { RunningCalls } from './running-calls.js';
import { SessionBook } from './session-book.js';
import { SessionMethods } from './session-methods.js';
import { SessionSealer } from './session-sealer.js';
import { StreamResumer } from './stream-resumer.js';
import { UrlHolds } from './url-holds.js';

/** How long a stopping router waits for people to answer, whose calls then end with an error that says so, and for readers. */
const ANSWERS_DRAIN_MS = 10_000;

export interface LegacyOptions {
  readonly sealer: StateSealer;
  /** Absent where there is no replay service. */
  readonly replay: ReplayClient | undefined;
  readonly streams: ListenStreams;
  readonly keepAlive: KeepAlive;
  /** Our certificate, where services know each other by certificates. */
  readonly identity: TlsIdentity | undefined;
  readonly mayRead: (access: Access, uri: string) => boolean;
}

export class OpenLegacy {
  /** Undefined: only the modern revision is served. */
  readonly endpoint: LegacyEndpoint | undefined;
  private readonly running: RunningCalls;
  private readonly pending: PendingAsks;
  private readonly journals: Journals;
  private readonly peers: Peers;
  private readonly inbox: PeerInbox;
  private server: RunningService | undefined;

  constructor(
    private readonly config: RouterConfig,
    options: LegacyOptions,
  ) {
    const { legacy, limits, flow, peers: routers } = config;
    const { sealer, replay, streams, keepAlive, mayRead, identity } = options;
    const whereabouts: Whereabouts = { owner: () => this.address(), run: randomId() };
    const references = new References(sealer);
    const messages = new RouterMessages(sealer, flow.skewMs);
    const { streamsMax: asksMax, streamsPerPrincipalMax: perPrincipalMax } = limits;
    this.running = new RunningCalls(legacy.callsPerSessionMax);
    this.pending = new PendingAsks({ asksMax, perPrincipalMax });
    this.journals = new Journals(references);
    this.peers = new Peers({
      ...{ messages, own: whereabouts.owner, dial: dialWith(identity, routers.serverName) },
      discovery: openDiscovery(routers, { kubernetes: config.kubernetes, onFailure: () => undefined }),
    });
    const changes = new ChangeStreams(streams);
    const sessions = new SessionBook({
      ...{ sealer, replay, tell: (change) => this.peers.tellAll(change) },
      sessions: new SessionSealer(sealer, { ttlMs: legacy.sessionTtlMs, skewMs: flow.skewMs }),
      onChange: (change) =>
        change.kind === 'ended' ? changes.end(change.sid) : changes.follow(change.sid, change.settings),
    });
    const { running, pending, journals, peers } = this;
    const courier = new Courier({ pending, running, references, peers, whereabouts, sessions: () => sessions });
    this.inbox = new PeerInbox(messages, journals, (told) => courier.take(told));
    const revisions = [...legacy.revisions].sort().reverse();
    if (revisions.length === 0) return;
    this.endpoint = new LegacyEndpoint({
      ...{ revisions, sessions, courier, changes },
      methods: new SessionMethods(sessions, mayRead),
      bridge: new CallBridge({
        ...{ pending, running, journals, references, keepAlive, whereabouts },
        lifeOf: (asks) => lifeOf(asks, flow),
        urlHolds: replay && new UrlHolds(sealer, replay),
      }),
      resumer: new StreamResumer({ references, journals, peers, whereabouts, keepAlive }),
    });
  }

  async start(): Promise<void> {
    if (this.endpoint === undefined) return;
    const { peers, rpcTls, logLevel } = this.config;
    const { host, port, serverName } = peers;
    // A router calls another under the name that it is called by.
    const tls = rpcTls && serverName !== undefined ? { ...rpcTls, clientNames: [serverName] } : undefined;
    this.server = await startPeerServer(this.inbox, { listen: { host, port }, ...(tls && { tls }), logLevel });
    this.peers.start();
  }

  /** Calls that run are waited for; people are given some time to answer, and clients that were sent away to come back. */
  async idle(): Promise<void> {
    const untilMs = performance.now() + ANSWERS_DRAIN_MS;
    const timer = setTimeout(() => this.pending.abandonAll(), ANSWERS_DRAIN_MS);
    await this.running.idle();
    clearTimeout(timer);
    await this.journals.read(Math.max(0, untilMs - performance.now()));
  }

  async stop(): Promise<void> {
    this.pending.abandonAll();
    this.journals.stop();
    this.peers.stop();
    await this.server?.close();
  }

  private address(): string | undefined {
    const { host, advertisedHost } = this.config.peers;
    return this.server && formatAddress({ host: advertisedHost ?? host, port: this.server.address.port });
  }
}

/** As long as the state that the answers are for. */
function lifeOf(asks: Asks, { formTtlMs, urlTtlMs }: RouterConfig['flow']): number {
  return Object.values(asks).some((ask) => ask.params?.['mode'] === 'url') ? urlTtlMs : formTtlMs;
}
