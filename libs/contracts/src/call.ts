/**
 * `call`: one run of a tool, prompt, resource read or completion. A request and its final reply carry at most one
 * `body`, JSON text that the socket ships beside the message and nobody re-encodes.
 */
import { z } from 'zod';
import { asksSchema, type Answers } from './asks.js';
import type { Principal } from './principal.js';

export const CALL_METHODS = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete'] as const;
export type CallMethod = (typeof CALL_METHODS)[number];

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type McpLogLevel = (typeof LOG_LEVELS)[number];

export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

export interface CallRequest {
  /** Unique per router process; names the call in `cancel`. */
  readonly callId: string;
  readonly method: CallMethod;
  /** The worker's own tool or prompt name, or the resource URI; for completion the whole `ref` is in the body. */
  readonly target: string;
  /** Protocol revision the router speaks with the worker. */
  readonly revision: string;
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  readonly principal: Principal;
  /** Time left for this call, in milliseconds; relative, so clocks need not agree. */
  readonly deadlineMs: number;
  readonly wantsProgress: boolean;
  /** Absent: the client wants no log notifications. */
  readonly logLevel?: McpLogLevel;
  /** The client can take the call's stream up again, so `close_stream` may be sent; absent of routers that do not know it. */
  readonly mayCloseStream?: true;
  readonly trace: TraceContext;
  /** Random id of the flow, the same in all its rounds. */
  readonly flowId: string;
  /** 1 for a first call. */
  readonly round: number;
  /** HMAC of the spent nonce (REP-8); absent when the round was not claimed. */
  readonly idempotencyKey?: string;
  /** What the worker gave with its last `input_required`, unchanged. */
  readonly continuation?: string;
  /** All answers of the flow so far, by ask key. */
  readonly answers?: Answers;
  /** `_meta` keys of the client that are not the protocol's own. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** JSON text of `params.arguments` (tools, prompts) or of `params` (completion); absent when there are none. */
  readonly body?: string;
}

const progressItem = z.object({
  kind: z.literal('progress'),
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().max(4096).optional(),
});

const logItem = z.object({
  kind: z.literal('log'),
  level: z.enum(LOG_LEVELS),
  logger: z.string().max(256).optional(),
  data: z.unknown(),
});

/** A stream may not be left for as long as routers keep what it says. */
export const STREAM_RETRY_MS_MAX = 30_000;

/** The line to the client may end here; the call goes on, and the client comes back for what it says. */
const closeStreamItem = z.object({
  kind: z.literal('close_stream'),
  /** After which the client comes back; absent: after the router's own time. */
  retryMs: z.int().min(0).max(STREAM_RETRY_MS_MAX).optional(),
});

const completeReply = z.object({
  kind: z.literal('complete'),
  /** JSON text of the result object without `resultType`, `_meta`, `ttlMs`, `cacheScope`: those are the router's. */
  body: z.string().min(2),
  /** The tool says in its result that it failed: told beside the body, which the router does not read. */
  isError: z.literal(true).optional(),
  /** The tool's own `_meta` keys for the result. */
  meta: z.record(z.string(), z.unknown()).optional(),
  /** Caching hint of a resource read. */
  cache: z.object({ ttlMs: z.int().min(0), scope: z.enum(['public', 'private']) }).optional(),
});

const inputRequiredReply = z.object({
  kind: z.literal('input_required'),
  asks: asksSchema,
  /** Opaque to the router; handed back unchanged with the answers. */
  continuation: z.string(),
  /** `host:port` of the one endpoint that must get the next round. */
  owner: z.string().max(256).optional(),
});

export const WORKER_ERROR_CODES = [
  'unknown_target',
  'resource_not_found',
  'invalid_params',
  'missing_capability',
  'flow_changed',
  'too_many_rounds',
  'cancelled',
  'draining',
  'failed',
] as const;
export type WorkerErrorCode = (typeof WORKER_ERROR_CODES)[number];

const errorReply = z.object({
  kind: z.literal('error'),
  code: z.enum(WORKER_ERROR_CODES),
  /** For `invalid_params` shown to the caller; for the others only logged. */
  message: z.string().max(1024),
  /** For `missing_capability`: the capabilities object the call needs. */
  requiredCapabilities: z.record(z.string(), z.unknown()).optional(),
});

export const callItemSchema = z.discriminatedUnion('kind', [
  progressItem,
  logItem,
  closeStreamItem,
  completeReply,
  inputRequiredReply,
  errorReply,
]);

export type CallItem = z.infer<typeof callItemSchema>;
export type CallReply = Extract<CallItem, { kind: 'complete' | 'input_required' | 'error' }>;
export type CallNotice = Extract<CallItem, { kind: 'progress' | 'log' | 'close_stream' }>;

export const cancelSchema = z.object({ callId: z.string().min(1).max(128) });
export type Cancel = z.infer<typeof cancelSchema>;
