/** Where the answer of one exchange goes: to a response, or to the bridge that serves an older client by several. */
import type { RequestId } from '@roundhouse/protocol';

/**
 * Work that is of no use once its client went away. An object and not a closure: one made inside an async function keeps
 * that function's context, and 28 % of what a call allocates was then promoted to the old generation, against 4 %.
 */
export interface Cancellable {
  cancel(): void;
}

export interface ExchangeReply {
  /** When the last byte left, or when the reply began, in `performance.now()` milliseconds. */
  readonly lastWriteMs: number;
  /** Notifications can be sent before the answer. */
  readonly canStream: boolean;
  readonly isStream: boolean;
  /** What the stream says is kept for its client, so that the line may end before the answer. */
  readonly canBeTakenUp: boolean;
  readonly hasEnded: boolean;
  /** We closed the stream because its reader let too much wait. */
  readonly wasCutOff: boolean;
  /** Cancelled once when the client goes away before the reply ended. */
  cancelWhenGone: Cancellable | undefined;
  /** The success of a request. `result` is the JSON text of the whole result object. */
  succeed(id: RequestId, result: string): void;
  /** The same from bytes prepared earlier: a list page is neither built nor encoded per request. */
  succeedPrepared(id: RequestId, result: Buffer): void;
  /** Sends a JSON-RPC notification on this reply's own stream, opening it if need be. */
  notify(message: string): void;
  /** Ends the line and not the stream; nothing where it cannot be taken up again. `retryMs`: when the client comes back. */
  closeLine(retryMs: number | undefined): void;
  openStream(): void;
  comment(): void;
}
