/**
 * Questions by url for a client of 2025-11-25 that takes no stream (K-36): the call is answered with the addresses to open, and
 * its state waits at the replay service for the same call to come again. That it comes says that the person agreed.
 */
import { z } from 'zod';
import type { Asks } from '@roundhouse/contracts';
import { canonicalJson } from '@roundhouse/protocol';
import { argumentsDigest, type StateSealer } from '@roundhouse/sealed-state';
import { RoundhouseError } from '@roundhouse/errors';
import type { Exchange } from '../intake/exchange.js';
import { randomId } from '../rounds/random-id.js';
import type { ReplayClient } from '../rounds/replay-client.js';

const PURPOSE = 'held-state';
const CONTEXT = 'legacy-url-ask';

const heldSchema = z.object({ keys: z.array(z.string()), state: z.string().optional() });

export interface HeldRound {
  readonly inputResponses: Readonly<Record<string, unknown>>;
  readonly state: string | undefined;
}

/** The place of one call of one session. */
export interface UrlHold {
  /** What the same call waits for; taken once. */
  take(): Promise<HeldRound | undefined>;
  /** @throws RoundhouseError `url_asked`, which tells the client what to open, or `replay_unavailable` */
  ask(asks: Asks, state: string | undefined, lifeMs: number): Promise<never>;
}

export class UrlHolds {
  constructor(
    private readonly sealer: StateSealer,
    private readonly replay: Pick<ReplayClient, 'hold' | 'recall'>,
  ) {}

  of(sid: string, { method, params }: Pick<Exchange, 'method' | 'params'>): UrlHold {
    const target = String(params['name'] ?? params['uri']);
    const digest = argumentsDigest(method, target, canonicalJson(params['arguments'] ?? {}));
    const handle = this.sealer.tag(`${CONTEXT} ${digest}`, sid).slice(0, 22);
    return {
      take: () => this.take(sid, handle),
      ask: (asks, state, lifeMs) => this.ask(asks, { sid, handle, state, lifeMs }),
    };
  }

  private async take(sid: string, handle: string): Promise<HeldRound | undefined> {
    const held = await this.replay.recall(handle);
    const opened = held === undefined ? undefined : this.sealer.open(PURPOSE, [CONTEXT, sid], held);
    if (opened?.ok !== true) return undefined;
    await this.replay.hold({ handle, text: '', retainMs: 1 });
    const { keys, state } = heldSchema.parse(JSON.parse(opened.plaintext));
    return { inputResponses: Object.fromEntries(keys.map((key) => [key, { action: 'accept' }])), state };
  }

  private async ask(
    asks: Asks,
    { sid, handle, state, lifeMs }: { sid: string; handle: string; state: string | undefined; lifeMs: number },
  ): Promise<never> {
    const text = this.sealer.seal(PURPOSE, [CONTEXT, sid], JSON.stringify({ keys: Object.keys(asks), state }));
    await this.replay.hold({ handle, text, retainMs: lifeMs });
    const elicitations = Object.values(asks).map(({ params }) => ({ ...params, elicitationId: randomId() }));
    throw new RoundhouseError('url_asked', { data: { elicitations } });
  }
}
