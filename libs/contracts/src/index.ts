export { askSchema, asksSchema, type Answer, type Answers, type Ask, type Asks } from './asks.js';
export {
  CALL_METHODS,
  LOG_LEVELS,
  WORKER_ERROR_CODES,
  callItemSchema,
  cancelSchema,
  type CallItem,
  type CallMethod,
  type CallNotice,
  type CallReply,
  type CallRequest,
  type Cancel,
  type McpLogLevel,
  type TraceContext,
  type WorkerErrorCode,
} from './call.js';
export {
  CATALOGUE_ENTRIES_MAX,
  LIST_KINDS,
  catalogueSchema,
  watchItemSchema,
  type CatalogueEntry,
  type ListKind,
  type ToolEntry,
  type WatchItem,
  type WorkerCatalogue,
} from './catalogue.js';
export {
  PATTERN,
  RPC_INCOMPLETE_MESSAGE_TIMEOUT_MS,
  RPC_MESSAGE_BYTES_MAX,
  RPC_SEND_BUFFER_BYTES_MAX,
} from './patterns.js';
export { ANONYMOUS, principalSchema, type Principal } from './principal.js';
export {
  RESULT_BYTES_MAX,
  acknowledgementSchema,
  claimAnswerSchema,
  claimRequestSchema,
  outcomeRequestSchema,
  releaseRequestSchema,
  settleRequestSchema,
  type Acknowledgement,
  type ClaimAnswer,
  type ClaimRequest,
  type OutcomeRequest,
  type ReleaseRequest,
  type SettleRequest,
} from './replay.js';
