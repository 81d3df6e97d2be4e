/**
 * One client request and its answer: what intake learned, the access it was granted, and where the reply goes.
 * The only per-request object that travels through the pipeline.
 */
import type { Principal } from '@roundhouse/contracts';
import type { Envelope, RequestId } from '@roundhouse/protocol';
import type { Context } from '@opentelemetry/api';
import type { Access } from '../access/access.js';
import type { ExchangeReply } from '../reply/exchange-reply.js';

export interface Exchange {
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
  /** Parent for this exchange's span; undefined starts a new trace. */
  readonly parent: Context | undefined;
}

/** The `mcp-*` request headers by lower-case name. A repeated one is refused before this exists. */
export type McpHeaders = ReadonlyMap<string, string>;
