/**
 * The rpc between our services: pattern names and the size and time limits both ends keep.
 * `v1` changes only when a release cannot be read by its neighbour.
 */
export const PATTERN = {
  describe: 'roundhouse.v1.describe',
  watch: 'roundhouse.v1.watch',
  call: 'roundhouse.v1.call',
  cancel: 'roundhouse.v1.cancel',
  claim: 'roundhouse.v1.claim',
  settle: 'roundhouse.v1.settle',
  release: 'roundhouse.v1.release',
  outcome: 'roundhouse.v1.outcome',
  epoch: 'roundhouse.v1.epoch',
  hold: 'roundhouse.v1.hold',
  recall: 'roundhouse.v1.recall',
  once: 'roundhouse.v1.once',
  budget: 'roundhouse.v1.budget',
  tell: 'roundhouse.v1.tell',
  resume: 'roundhouse.v1.resume',
} as const;

/** Largest rpc message in bytes: a full body (4 MiB) plus continuation and context, with room to spare. */
export const RPC_MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** A message that began must be complete within this time, or its sender is cut off. */
export const RPC_INCOMPLETE_MESSAGE_TIMEOUT_MS = 30_000;
/** What may wait in one connection's send buffer before the peer is cut off. */
export const RPC_SEND_BUFFER_BYTES_MAX = 64 * 1024 * 1024;
