/**
 * What one worker process allows. Each may be changed when the module is registered.
 */
import { RPC_MESSAGE_BYTES_MAX } from '@roundhouse/contracts';

export interface WorkerLimits {
  /**
   * Calls that may run at once in this process. Routers are told: they send more elsewhere, then let them wait for a second,
   * then refuse them. What beats this, as with several routers, is turned away before it begins. Lower it for work that
   * keeps a processor busy.
   */
  readonly callsMax: number;
  /** A continuation in UTF-8 bytes: with its seal it must fit the router's 32 KiB of sealed state. */
  readonly continuationBytesMax: number;
  /** Rounds one flow may take; people give up long before, loops do not. */
  readonly roundsMax: number;
  /** Samples one call may ask the client's model for, in all its rounds: each may cost its user money. */
  readonly samplesMax: number;
  /** Progress notices per call, in milliseconds between two: 20 a second is more than a person can see. */
  readonly progressIntervalMs: number;
  /** Result text in UTF-16 code units: three bytes each at worst still fit one rpc message. */
  readonly resultCharsMax: number;
}

export const WORKER_LIMITS: WorkerLimits = {
  callsMax: 1_000,
  continuationBytesMax: 24 * 1024,
  roundsMax: 16,
  samplesMax: 8,
  progressIntervalMs: 50,
  resultCharsMax: RPC_MESSAGE_BYTES_MAX / 4,
};
