/**
 * The answers to a batch of 2025-03-26: one after the other on a stream, in the order in which they are ready, or together as
 * one array for a client that takes no stream.
 */
import type { RoundhouseError } from '@roundhouse/errors';
import type { RequestId } from '@roundhouse/protocol';
import type { Reply } from '../reply/reply.js';
import type { LegacyReply } from './bridged-call.js';

export class BatchReply {
  private readonly responses: string[] = [];

  constructor(
    private readonly reply: Reply,
    private openCount: number,
  ) {}

  /** For one request of the batch. */
  part(): LegacyReply {
    return {
      canStream: this.reply.canStream,
      // Batches are of a revision that takes nothing up again.
      canBeTakenUp: false,
      closeLine: () => undefined,
      notify: (message) => this.reply.notify(message),
      succeed: (id, result) => this.respond(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`),
      succeedPrepared: (id, result) =>
        this.respond(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result.toString('utf8')}}`),
      leave: () => this.respond(undefined),
    };
  }

  fail(id: RequestId | undefined, error: RoundhouseError): void {
    this.respond(this.reply.errors.body(id, error));
  }

  private respond(response: string | undefined): void {
    this.openCount -= 1;
    if (response !== undefined && this.reply.canStream) this.reply.notify(response);
    else if (response !== undefined) this.responses.push(response);
    if (this.openCount > 0) return;
    if (this.reply.canStream) this.reply.endStream();
    else this.reply.succeedTogether(this.responses);
  }
}
