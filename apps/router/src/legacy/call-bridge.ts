/** Starts bridged calls: gives each its line, its journal, and its place among those that can be cancelled. */
import type { Asks } from '@roundhouse/contracts';
import { LEGACY_FEATURES } from '@roundhouse/protocol';
import type { Exchange } from '../intake/exchange.js';
import type { KeepAlive } from '../reply/keep-alive.js';
import type { Reply } from '../reply/reply.js';
import { randomId } from '../rounds/random-id.js';
import { BridgedCall, type LegacyReply } from './bridged-call.js';
import type { Journals } from './journals.js';
import type { UnansweredExchange } from './legacy-exchange.js';
import type { PendingAsks } from './pending-asks.js';
import type { Reference, References } from './references.js';
import type { RunningCalls } from './running-calls.js';
import type { OpenSession } from './session-book.js';
import type { UrlHolds } from './url-holds.js';

/** Where this router is found by others. */
export interface Whereabouts {
  readonly owner: () => string | undefined;
  /** Random, of this run of the process. */
  readonly run: string;
}

export interface CallBridgeParts {
  readonly pending: PendingAsks;
  readonly running: RunningCalls;
  readonly journals: Journals;
  readonly references: References;
  readonly keepAlive: KeepAlive;
  readonly whereabouts: Whereabouts;
  readonly lifeOf: (asks: Asks) => number;
  /** Absent where there is no replay service. */
  readonly urlHolds: UrlHolds | undefined;
}

export interface BridgeRequest {
  readonly session: OpenSession;
  readonly exchange: UnansweredExchange;
  readonly reply: LegacyReply;
  /** The client's own line; in a batch shared by several calls. */
  readonly line: Reply;
  readonly serve: (exchange: Exchange) => Promise<void>;
}

export class CallBridge {
  constructor(private readonly parts: CallBridgeParts) {}

  async serve({ session, exchange, reply, line, serve }: BridgeRequest): Promise<void> {
    const { pending, running, journals, references, keepAlive, lifeOf } = this.parts;
    const { sid, revision } = session;
    const referTo = (name: string): string => references.seal(this.placeOf('ask', sid, name));
    const canOpen = !reply.canStream && 'elicitation' in exchange.envelope.clientCapabilities;
    const urlHold = canOpen ? this.parts.urlHolds?.of(sid, exchange) : undefined;
    const call = new BridgedCall({ pending, sid, revision, reply, exchange, serve, lifeOf, referTo, urlHold });
    const leave = running.enter(sid, exchange.id, call);
    if (LEGACY_FEATURES[revision].resumption && reply.canStream)
      line.journal = journals.journalOf(() => ({
        ...this.placeOf('stream', sid, randomId()),
        requestId: exchange.id,
      }));
    const watched = keepAlive.watch(line);
    try {
      await call.run();
    } finally {
      keepAlive.forget(watched);
      leave();
    }
  }

  private placeOf(kind: Reference['kind'], sid: string, name: string): Reference {
    const { owner, run } = this.parts.whereabouts;
    return { kind, owner: owner(), run, sid, name };
  }
}
