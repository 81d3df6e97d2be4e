import { describe, expect, it } from '@jest/globals';
import { ERROR_TABLE } from './error-table.js';
import { REASONS } from './reasons.js';

/** What callers see. Changing a line here is a change of the product, not of a test. */
const PINNED = {
  parse_error: [400, -32700, 'client', 'after-change', 'debug', 'Parse error'],
  invalid_request: [400, -32600, 'client', 'after-change', 'debug', 'Invalid Request: %s'],
  body_too_deep: [400, -32602, 'client', 'after-change', 'info', 'Body is nested too deeply'],
  body_too_large: [413, -32600, 'client', 'after-change', 'info', 'Body is too large'],
  head_too_large: [431, -32600, 'client', 'after-change', 'info', 'Headers are too large'],
  not_http: [400, -32600, 'client', 'never', 'debug', 'Not an HTTP request'],
  body_timeout: [408, -32600, 'client', 'later', 'info', 'Body did not arrive in time'],
  unsupported_media_type: [415, -32600, 'client', 'after-change', 'debug', 'Content-Type must be application/json'],
  unsupported_encoding: [415, -32600, 'client', 'after-change', 'debug', 'Content-Encoding is not supported'],
  not_acceptable: [406, -32600, 'client', 'after-change', 'debug', 'Accept must allow %s'],
  verb_not_allowed: [405, -32600, 'client', 'never', 'debug', 'Method not allowed'],
  sse_transport_refused: [
    405,
    -32600,
    'client',
    'after-change',
    'debug',
    'The HTTP+SSE transport of 2024-11-05 is not served; POST initialize to this address instead',
  ],
  host_refused: [403, -32600, 'client', 'never', 'debug', 'Host is not allowed'],
  origin_refused: [403, -32600, 'client', 'never', 'debug', 'Origin is not allowed'],
  unauthenticated: [401, -32600, 'client', 'after-change', 'info', 'Authentication is required'],
  token_invalid: [401, -32600, 'client', 'after-change', 'info', 'The access token is not valid'],
  proof_invalid: [401, -32600, 'client', 'after-change', 'info', 'The DPoP proof is not valid'],
  scope_insufficient: [403, -32600, 'client', 'after-change', 'info', 'The access token lacks a scope this needs'],
  not_permitted: [403, -32600, 'client', 'after-change', 'info', 'Policy does not permit this'],
  authorization_malformed: [400, -32600, 'client', 'after-change', 'info', 'The authorization is malformed'],
  authorization_unavailable: [503, -32603, 'operator', 'later', 'warn', 'Access tokens cannot be verified now'],
  meta_incomplete: [400, -32602, 'client', 'after-change', 'debug', 'Missing or invalid _meta key %s'],
  header_mismatch: [400, -32020, 'client', 'after-change', 'debug', '%s'],
  missing_capability: [400, -32021, 'client', 'after-change', 'debug', 'The client lacks a capability this needs'],
  unsupported_version: [400, -32022, 'client', 'after-change', 'debug', 'Protocol version not supported'],
  method_not_found: [404, -32601, 'client', 'never', 'debug', 'Method not found: %s'],
  invalid_params: [200, -32602, 'client', 'after-change', 'debug', 'Invalid params: %s'],
  unknown_tool: [200, -32602, 'client', 'after-change', 'debug', 'Unknown tool: %s'],
  unknown_prompt: [200, -32602, 'client', 'after-change', 'debug', 'Unknown prompt: %s'],
  resource_not_found: [200, -32602, 'client', 'after-change', 'debug', 'Resource not found'],
  invalid_cursor: [200, -32602, 'client', 'after-change', 'debug', 'Invalid cursor'],
  state_refused: [200, -32602, 'client', 'never', 'info', 'Invalid or expired requestState'],
  session_missing: [400, -32600, 'client', 'after-change', 'debug', 'Mcp-Session-Id is required; initialize first'],
  session_refused: [404, -32600, 'client', 'after-change', 'info', 'Session not found; initialize again'],
  session_version: [400, -32600, 'client', 'after-change', 'debug', 'MCP-Protocol-Version is not that of the session'],
  request_repeated: [409, -32600, 'client', 'after-change', 'debug', 'A request with this id is still running'],
  answer_refused: [400, -32600, 'client', 'never', 'info', 'No request of this session waits for this answer'],
  answer_undelivered: [410, -32603, 'router', 'never', 'warn', 'The router that asked is gone; call again'],
  asker_lost: [
    200,
    -32603,
    'router',
    'after-change',
    'warn',
    'The router that ran the call was lost; its outcome is unknown',
  ],
  stream_refused: [400, -32600, 'client', 'never', 'info', 'No stream of this session can be taken up there'],
  url_asked: [200, -32603, 'client', 'after-change', 'debug', 'A page has to be opened first'],
  ask_unanswered: [200, -32603, 'client', 'after-change', 'info', 'A question was not answered: %s'],
  ask_unsayable: [200, -32603, 'client', 'after-change', 'info', 'The client cannot be asked this: %s'],
  subscription_limit: [200, -32603, 'client', 'later', 'info', 'Too many open subscriptions'],
  worker_unavailable: [503, -32603, 'worker', 'later', 'debug', 'No worker can take this call now'],
  worker_failed: [200, -32603, 'worker', 'never', 'error', 'The tool failed'],
  worker_lost: [200, -32603, 'worker', 'never', 'warn', 'The worker was lost while it ran the call'],
  flow_changed: [
    200,
    -32603,
    'worker',
    'after-change',
    'warn',
    'The tool changed while the flow was open; start again',
  ],
  deadline_exceeded: [200, -32603, 'worker', 'later', 'info', 'The call took too long and was stopped'],
  state_too_large: [200, -32603, 'worker', 'never', 'error', 'The flow grew too large to continue'],
  too_many_rounds: [200, -32603, 'worker', 'never', 'warn', 'The flow asked too many times'],
  replay_unavailable: [503, -32603, 'replay', 'later', 'debug', 'This call cannot be confirmed now; send it again'],
  claim_in_flight: [503, -32603, 'replay', 'later', 'info', 'The same call is still running; send it again'],
  outcome_unknown: [200, -32603, 'worker', 'never', 'error', 'The call may have run; its outcome is unknown'],
  result_not_retained: [
    200,
    -32603,
    'replay',
    'never',
    'warn',
    'The call was completed; its result was too large to keep',
  ],
  rate_limited: [429, -32603, 'client', 'later', 'debug', 'Too many requests; send it again later'],
  audit_unavailable: [503, -32603, 'operator', 'later', 'debug', 'This call cannot be recorded now; send it again'],
  upstream_unauthorized: [
    502,
    -32603,
    'operator',
    'later',
    'warn',
    'The upstream cannot be called for this caller now',
  ],
  overloaded: [503, -32603, 'operator', 'later', 'debug', 'Overloaded; send it again later'],
  draining: [503, -32603, 'operator', 'later', 'debug', 'Shutting down; send it again'],
  config_invalid: [500, -32603, 'operator', 'after-change', 'error', 'Invalid configuration'],
  internal: [500, -32603, 'router', 'later', 'error', 'Internal error'],
} as const;

describe('the error table', () => {
  it('says to callers exactly what it said before', () => {
    const rows = Object.entries(ERROR_TABLE).map(([code, row]) => [
      code,
      [row.status, row.rpcCode, row.blame, row.retry, row.logLevel, row.text],
    ]);
    expect(Object.fromEntries(rows)).toEqual(PINNED);
  });

  it('uses no code of the zones that the protocol keeps for itself', () => {
    const ours = new Set([-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022]);
    expect(
      Object.values(ERROR_TABLE)
        .map(({ rpcCode }) => rpcCode)
        .filter((code) => !ours.has(code)),
    ).toEqual([]);
  });

  it('answers 400 or 404 where the protocol demands it', () => {
    const statusOf = (code: number) =>
      new Set(
        Object.values(ERROR_TABLE)
          .filter(({ rpcCode }) => rpcCode === code)
          .map(({ status }) => status),
      );
    for (const code of [-32020, -32021, -32022, -32700]) expect([...statusOf(code)]).toEqual([400]);
    expect([...statusOf(-32601)]).toEqual([404]);
  });

  it('names each private reason once', () => {
    expect(new Set(REASONS).size).toBe(REASONS.length);
  });
});
