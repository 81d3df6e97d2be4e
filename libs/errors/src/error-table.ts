/**
 * The closed list of everything Roundhouse can refuse or fail with. One row decides the HTTP status, the JSON-RPC
 * code, who is to blame, whether sending again helps, how loud the log is and the only words a caller ever sees.
 * Codes and statuses follow MCP 2026-07-28 (transports/streamable-http, basic/index); 200 where the text fixes none,
 * because a 400 invites clients to probe for an older era.
 */

export type Blame = 'client' | 'router' | 'worker' | 'replay' | 'operator';
export type Retry = 'never' | 'after-change' | 'later';
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface ErrorRow {
  /** HTTP status while no byte of the reply has left; afterwards the error rides the stream. */
  readonly status: number;
  readonly rpcCode: number;
  readonly blame: Blame;
  readonly retry: Retry;
  readonly logLevel: LogLevel;
  /** Public text; `%s` is replaced by the error's `detail`. */
  readonly text: string;
}

const row = (
  status: number,
  rpcCode: number,
  blame: Blame,
  retry: Retry,
  logLevel: LogLevel,
  text: string,
): ErrorRow => ({ status, rpcCode, blame, retry, logLevel, text });

export const ERROR_TABLE = {
  parse_error: row(400, -32700, 'client', 'after-change', 'debug', 'Parse error'),
  invalid_request: row(400, -32600, 'client', 'after-change', 'debug', 'Invalid Request: %s'),
  body_too_deep: row(400, -32602, 'client', 'after-change', 'info', 'Body is nested too deeply'),
  body_too_large: row(413, -32600, 'client', 'after-change', 'info', 'Body is too large'),
  head_too_large: row(431, -32600, 'client', 'after-change', 'info', 'Headers are too large'),
  not_http: row(400, -32600, 'client', 'never', 'debug', 'Not an HTTP request'),
  body_timeout: row(408, -32600, 'client', 'later', 'info', 'Body did not arrive in time'),
  unsupported_media_type: row(415, -32600, 'client', 'after-change', 'debug', 'Content-Type must be application/json'),
  unsupported_encoding: row(415, -32600, 'client', 'after-change', 'debug', 'Content-Encoding is not supported'),
  not_acceptable: row(406, -32600, 'client', 'after-change', 'debug', 'Accept must allow %s'),
  verb_not_allowed: row(405, -32600, 'client', 'never', 'debug', 'Method not allowed'),
  sse_transport_refused: row(
    405,
    -32600,
    'client',
    'after-change',
    'debug',
    'The HTTP+SSE transport of 2024-11-05 is not served; POST initialize to this address instead',
  ),
  host_refused: row(403, -32600, 'client', 'never', 'debug', 'Host is not allowed'),
  origin_refused: row(403, -32600, 'client', 'never', 'debug', 'Origin is not allowed'),
  unauthenticated: row(401, -32600, 'client', 'after-change', 'info', 'Authentication is required'),
  token_invalid: row(401, -32600, 'client', 'after-change', 'info', 'The access token is not valid'),
  proof_invalid: row(401, -32600, 'client', 'after-change', 'info', 'The DPoP proof is not valid'),
  scope_insufficient: row(403, -32600, 'client', 'after-change', 'info', 'The access token lacks a scope this needs'),
  not_permitted: row(403, -32600, 'client', 'after-change', 'info', 'Policy does not permit this'),
  authorization_malformed: row(400, -32600, 'client', 'after-change', 'info', 'The authorization is malformed'),
  authorization_unavailable: row(503, -32603, 'operator', 'later', 'warn', 'Access tokens cannot be verified now'),
  meta_incomplete: row(400, -32602, 'client', 'after-change', 'debug', 'Missing or invalid _meta key %s'),
  header_mismatch: row(400, -32020, 'client', 'after-change', 'debug', '%s'),
  missing_capability: row(400, -32021, 'client', 'after-change', 'debug', 'The client lacks a capability this needs'),
  unsupported_version: row(400, -32022, 'client', 'after-change', 'debug', 'Protocol version not supported'),
  method_not_found: row(404, -32601, 'client', 'never', 'debug', 'Method not found: %s'),
  invalid_params: row(200, -32602, 'client', 'after-change', 'debug', 'Invalid params: %s'),
  unknown_tool: row(200, -32602, 'client', 'after-change', 'debug', 'Unknown tool: %s'),
  unknown_prompt: row(200, -32602, 'client', 'after-change', 'debug', 'Unknown prompt: %s'),
  resource_not_found: row(200, -32602, 'client', 'after-change', 'debug', 'Resource not found'),
  invalid_cursor: row(200, -32602, 'client', 'after-change', 'debug', 'Invalid cursor'),
  state_refused: row(200, -32602, 'client', 'never', 'info', 'Invalid or expired requestState'),
  session_missing: row(400, -32600, 'client', 'after-change', 'debug', 'Mcp-Session-Id is required; initialize first'),
  session_refused: row(404, -32600, 'client', 'after-change', 'info', 'Session not found; initialize again'),
  session_version: row(
    400,
    -32600,
    'client',
    'after-change',
    'debug',
    'MCP-Protocol-Version is not that of the session',
  ),
  request_repeated: row(409, -32600, 'client', 'after-change', 'debug', 'A request with this id is still running'),
  answer_refused: row(400, -32600, 'client', 'never', 'info', 'No request of this session waits for this answer'),
  answer_undelivered: row(410, -32603, 'router', 'never', 'warn', 'The router that asked is gone; call again'),
  asker_lost: row(
    200,
    -32603,
    'router',
    'after-change',
    'warn',
    'The router that ran the call was lost; its outcome is unknown',
  ),
  stream_refused: row(400, -32600, 'client', 'never', 'info', 'No stream of this session can be taken up there'),
  url_asked: row(200, -32603, 'client', 'after-change', 'debug', 'A page has to be opened first'),
  ask_unanswered: row(200, -32603, 'client', 'after-change', 'info', 'A question was not answered: %s'),
  ask_unsayable: row(200, -32603, 'client', 'after-change', 'info', 'The client cannot be asked this: %s'),
  subscription_limit: row(200, -32603, 'client', 'later', 'info', 'Too many open subscriptions'),
  worker_unavailable: row(503, -32603, 'worker', 'later', 'debug', 'No worker can take this call now'),
  worker_failed: row(200, -32603, 'worker', 'never', 'error', 'The tool failed'),
  worker_lost: row(200, -32603, 'worker', 'never', 'warn', 'The worker was lost while it ran the call'),
  flow_changed: row(
    200,
    -32603,
    'worker',
    'after-change',
    'warn',
    'The tool changed while the flow was open; start again',
  ),
  deadline_exceeded: row(200, -32603, 'worker', 'later', 'info', 'The call took too long and was stopped'),
  state_too_large: row(200, -32603, 'worker', 'never', 'error', 'The flow grew too large to continue'),
  too_many_rounds: row(200, -32603, 'worker', 'never', 'warn', 'The flow asked too many times'),
  replay_unavailable: row(503, -32603, 'replay', 'later', 'debug', 'This call cannot be confirmed now; send it again'),
  claim_in_flight: row(503, -32603, 'replay', 'later', 'info', 'The same call is still running; send it again'),
  outcome_unknown: row(200, -32603, 'worker', 'never', 'error', 'The call may have run; its outcome is unknown'),
  result_not_retained: row(
    200,
    -32603,
    'replay',
    'never',
    'warn',
    'The call was completed; its result was too large to keep',
  ),
  rate_limited: row(429, -32603, 'client', 'later', 'debug', 'Too many requests; send it again later'),
  audit_unavailable: row(503, -32603, 'operator', 'later', 'debug', 'This call cannot be recorded now; send it again'),
  upstream_unauthorized: row(
    502,
    -32603,
    'operator',
    'later',
    'warn',
    'The upstream cannot be called for this caller now',
  ),
  overloaded: row(503, -32603, 'operator', 'later', 'debug', 'Overloaded; send it again later'),
  draining: row(503, -32603, 'operator', 'later', 'debug', 'Shutting down; send it again'),
  config_invalid: row(500, -32603, 'operator', 'after-change', 'error', 'Invalid configuration'),
  internal: row(500, -32603, 'router', 'later', 'error', 'Internal error'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_TABLE;
