/**
 * Holds what a state would have to carry when that is too large to travel: the claims lie sealed at the replay service,
 * under a random handle that is itself sealed in the state (KEY-13). Bound to flow and principal, so that a handle opens
 * nothing for anybody else.
 */
import { HELD_BYTES_MAX, type HoldRequest } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { decodeClaims, encodeClaims, type FlowClaims, type StateSealer } from '@roundhouse/sealed-state';
import { randomId } from './random-id.js';

const PURPOSE = 'held-state';

export interface Shelf {
  hold(request: HoldRequest): Promise<void>;
  recall(handle: string): Promise<string | undefined>;
}

export class StateShelf {
  constructor(
    private readonly shelf: Shelf,
    private readonly sealer: StateSealer,
  ) {}

  /**
   * The claims that travel instead.
   * @throws RoundhouseError `state_too_large` beyond 256 KiB; `replay_unavailable`
   */
  async put(claims: FlowClaims, retainMs: number): Promise<FlowClaims> {
    const text = encodeClaims(claims);
    const bytes = Buffer.byteLength(text);
    if (bytes > HELD_BYTES_MAX)
      throw new RoundhouseError('state_too_large', { reason: 'limit_reached', facts: { stateBytes: bytes } });
    const handle = randomId();
    const sealed = this.sealer.seal(PURPOSE, contextOf(claims, handle), text);
    await this.shelf.hold({ handle, text: sealed, retainMs });
    return { ...claims, asks: {}, continuation: '', answers: {}, handle };
  }

  /**
   * The claims that were put, for claims that travelled. Undefined when they are gone or not what was put.
   * @throws RoundhouseError `replay_unavailable`
   */
  async take(claims: FlowClaims, handle: string): Promise<FlowClaims | undefined> {
    const sealed = await this.shelf.recall(handle);
    const opened = this.sealer.open(PURPOSE, contextOf(claims, handle), sealed);
    return opened.ok ? decodeClaims(opened.plaintext) : undefined;
  }
}

function contextOf({ flowId, principal, nonce }: FlowClaims, handle: string): readonly string[] {
  return [handle, flowId, principal, nonce];
}
