/** What one round of a bridged call answers. Nothing of it reaches the client as it is: the bridge reads it and goes on. */
import type { RequestId } from '@roundhouse/protocol';
import type { Cancellable, ExchangeReply } from '../reply/exchange-reply.js';

/** What a round says before it ends. */
export type RoundTold = Pick<ExchangeReply, 'notify' | 'closeLine'>;

export class RoundReply implements ExchangeReply {
  /** The client's own line is kept alive elsewhere. */
  readonly lastWriteMs = Infinity;
  readonly isStream = false;
  readonly wasCutOff = false;
  cancelWhenGone: Cancellable | undefined;
  hasEnded = false;
  result: string | Buffer | undefined;

  constructor(
    private readonly line: Pick<ExchangeReply, 'canStream' | 'canBeTakenUp'>,
    private readonly told: RoundTold,
  ) {}

  get canStream(): boolean {
    return this.line.canStream;
  }

  get canBeTakenUp(): boolean {
    return this.line.canBeTakenUp;
  }

  succeed(_id: RequestId, result: string): void {
    this.result = result;
  }

  succeedPrepared(_id: RequestId, result: Buffer): void {
    this.result = result;
  }

  notify(message: string): void {
    this.told.notify(message);
  }

  closeLine(retryMs: number | undefined): void {
    this.told.closeLine(retryMs);
  }

  /** By a notification of the client's; a lost line cancels nothing (K-17). */
  cancel(): void {
    this.hasEnded = true;
    this.cancelWhenGone?.cancel();
  }

  openStream(): void {}

  comment(): void {}
}
