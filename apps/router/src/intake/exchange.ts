/**
 * One client request and its answer: what intake learned, the access it was granted, and where the reply goes.
 * The only per-request object that travels through the pipeline.
 */
import type { IncomingMessage } from 'node:http';
import type { Principal } from '@roundhouse/contracts';
import type { Envelope, RequestId } from '@roundhouse/protocol';
import type { Span } from '@opentelemetry/api';
import type { Access } from '../access/access.js';
import type { Observed } from '../measures/observed.js';
import type { ExchangeReply } from '../reply/exchange-reply.js';
import type { IncomingTrace } from './incoming-trace.js';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly reply: ExchangeReply;
  /** Of `access`, which most steps want nothing else of. */
  readonly principal: Principal;
  readonly access: Access;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly envelope: Envelope;
  /** Undefined of a client of an older revision, which mirrors nothing in headers. */
  readonly headers: McpHeaders | undefined;
  /** The revision of such a client; the envelope says what a worker may rely on. */
  readonly spokenRevision?: string;
  /** JSON text of `params.arguments` as the client wrote it; undefined when there is none. */
  readonly argumentsText: string | undefined;
  /** Where each step leaves what is measured at the end. */
  readonly observed: Observed;
  readonly trace: IncomingTrace;
  /** When the request arrived, in `performance.now()` milliseconds. */
  readonly arrivedMs: number;
  /** The span of the HTTP request, once there is one that is recorded. */
  httpSpan: Span | undefined;
  /** Its own span, once it began, for the log. */
  span: Span | undefined;
}

/** The `mcp-*` request headers by lower-case name. A repeated one is refused before this exists. */
export type McpHeaders = ReadonlyMap<string, string>;
