/** The `_meta` keys that MCP 2026-07-28 (basic/index, `_meta`) reserves and gives a meaning. */

/** Every other key that starts with this is the protocol's too, known to us or not. */
export const PROTOCOL_META_PREFIX = 'io.modelcontextprotocol/';

export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Reserved without a prefix, as are the trace keys. */
export const PROGRESS_TOKEN_KEY = 'progressToken';

/** W3C Trace Context and Baggage (SEP-414), reserved without a prefix. */
export const TRACE_KEYS = ['traceparent', 'tracestate', 'baggage'] as const;
