/** Freezes what clients can see of this library: a change here is a change of the wire or of a documented limit. */
import { describe, expect, it } from '@jest/globals';
import * as sdk from '@modelcontextprotocol/server';
import { ERROR_TABLE } from '@roundhouse/errors';
import * as limits from './limits.js';
import { META, PROGRESS_TOKEN_KEY, PROTOCOL_META_PREFIX, TRACE_KEYS } from './meta-keys.js';
import { MODERN_METHODS } from './methods.js';
import { RPC_CODE } from './json-rpc.js';
import { MODERN_REVISION, SERVED_REVISIONS } from './revision.js';

describe('the wire as outsiders see it', () => {
  it('speaks these revisions', () => {
    expect(MODERN_REVISION).toBe('2026-07-28');
    expect(SERVED_REVISIONS).toEqual(['2026-07-28']);
    expect(Object.isFrozen(SERVED_REVISIONS)).toBe(true);
  });

  it('reserves these _meta keys', () => {
    expect(META).toEqual({
      protocolVersion: 'io.modelcontextprotocol/protocolVersion',
      clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
      clientInfo: 'io.modelcontextprotocol/clientInfo',
      serverInfo: 'io.modelcontextprotocol/serverInfo',
      logLevel: 'io.modelcontextprotocol/logLevel',
      subscriptionId: 'io.modelcontextprotocol/subscriptionId',
    });
    expect(Object.values(META).every((key) => key.startsWith(PROTOCOL_META_PREFIX))).toBe(true);
    expect([PROGRESS_TOKEN_KEY, ...TRACE_KEYS]).toEqual(['progressToken', 'traceparent', 'tracestate', 'baggage']);
  });

  it('agrees with the official SDK about them', () => {
    expect(META).toEqual({
      protocolVersion: sdk.PROTOCOL_VERSION_META_KEY,
      clientCapabilities: sdk.CLIENT_CAPABILITIES_META_KEY,
      clientInfo: sdk.CLIENT_INFO_META_KEY,
      serverInfo: sdk.SERVER_INFO_META_KEY,
      logLevel: sdk.LOG_LEVEL_META_KEY,
      subscriptionId: sdk.SUBSCRIPTION_ID_META_KEY,
    });
    expect(TRACE_KEYS).toEqual([sdk.TRACEPARENT_META_KEY, sdk.TRACESTATE_META_KEY, sdk.BAGGAGE_META_KEY]);
  });

  it('answers with these codes and no others', () => {
    expect(RPC_CODE).toEqual({
      parseError: -32700,
      invalidRequest: -32600,
      methodNotFound: -32601,
      invalidParams: -32602,
      internalError: -32603,
      headerMismatch: -32020,
      missingClientCapability: -32021,
      unsupportedProtocolVersion: -32022,
    });
    const known = new Set<number>(Object.values(RPC_CODE));
    for (const row of Object.values(ERROR_TABLE)) expect(known).toContain(row.rpcCode);
  });

  it('agrees with the official SDK about the codes', () => {
    expect(RPC_CODE).toMatchObject({
      parseError: sdk.ProtocolErrorCode.ParseError,
      invalidRequest: sdk.ProtocolErrorCode.InvalidRequest,
      methodNotFound: sdk.ProtocolErrorCode.MethodNotFound,
      invalidParams: sdk.ProtocolErrorCode.InvalidParams,
      internalError: sdk.ProtocolErrorCode.InternalError,
      missingClientCapability: sdk.ProtocolErrorCode.MissingRequiredClientCapability,
      unsupportedProtocolVersion: sdk.ProtocolErrorCode.UnsupportedProtocolVersion,
    });
  });

  it('serves these requests', () => {
    expect(MODERN_METHODS).toEqual([
      'server/discover',
      'tools/list',
      'tools/call',
      'prompts/list',
      'prompts/get',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'completion/complete',
      'subscriptions/listen',
    ]);
  });

  it('keeps these limits', () => {
    expect({ ...limits }).toEqual({
      BODY_BYTES_MAX: 4_194_304,
      JSON_DEPTH_MAX: 64,
      TOOL_NAME_CHARS_MAX: 128,
      URI_CHARS_MAX: 2_048,
      SEALED_STATE_CHARS_MAX: 32_768,
      HEADER_VALUE_BYTES_MAX: 8_192,
      PARAM_HEADER_NAME_CHARS_MAX: 64,
      PARAM_HEADERS_MAX: 32,
      ASKS_PER_ROUND_MAX: 16,
      ANSWERS_MAX: 64,
      ASK_MESSAGE_CHARS_MAX: 4_096,
      FORM_FIELDS_MAX: 64,
      FIELD_NAME_CHARS_MAX: 128,
      FIELD_TITLE_CHARS_MAX: 256,
      FIELD_DESCRIPTION_CHARS_MAX: 2_048,
      ENUM_OPTIONS_MAX: 256,
      ENUM_VALUE_CHARS_MAX: 512,
      ANSWER_TEXT_CHARS_MAX: 16_384,
      FORM_ANSWER_CHARS_MAX: 65_536,
      SAMPLING_MESSAGES_MAX: 256,
      SAMPLING_TOKENS_MAX: 1_000_000,
      SAMPLING_CHARS_MAX: 1_048_576,
      SAMPLING_BLOCKS_MAX: 64,
      ROOTS_MAX: 256,
      DISPLAY_NAME_CHARS_MAX: 256,
      DESCRIPTION_CHARS_MAX: 32_768,
      SCHEMA_CHARS_MAX: 262_144,
      SCHEMA_DEPTH_MAX: 64,
      SCHEMA_NODES_MAX: 20_000,
      PROMPT_ARGUMENTS_MAX: 64,
      TEMPLATE_VARIABLES_MAX: 16,
    });
  });
});
