export { canonicalJson } from './canonical-json.js';
export { isJsonObject, ownMember, setOwn, type JsonObject } from './json-object.js';
export { RPC_CODE, isRequestId, type RequestId } from './json-rpc.js';
export { escapeLineSeparators } from './json-text/line-separators.js';
export { scanBody, type BodyScan, type Span } from './json-text/scan-body.js';
export { scanObject, type ObjectScan } from './json-text/scan-object.js';
export { legacyAskParams } from './legacy/asks.js';
export { legacyCapabilities } from './legacy/capabilities.js';
export { legacyListPage } from './legacy/lists.js';
export {
  isLegacySessionMethod,
  isLegacySharedMethod,
  type LegacySessionMethod,
  type LegacySharedMethod,
} from './legacy/methods.js';
export { legacyResult } from './legacy/results.js';
export { LEGACY_FEATURES, LEGACY_REVISIONS, isLegacyRevision, type LegacyRevision } from './legacy/revisions.js';
export {
  ANSWERS_MAX,
  ANSWER_TEXT_CHARS_MAX,
  ASKS_PER_ROUND_MAX,
  ASK_MESSAGE_CHARS_MAX,
  BODY_BYTES_MAX,
  DESCRIPTION_CHARS_MAX,
  DISPLAY_NAME_CHARS_MAX,
  ENUM_OPTIONS_MAX,
  ENUM_VALUE_CHARS_MAX,
  FIELD_DESCRIPTION_CHARS_MAX,
  FIELD_NAME_CHARS_MAX,
  FIELD_TITLE_CHARS_MAX,
  FORM_ANSWER_CHARS_MAX,
  FORM_FIELDS_MAX,
  HEADER_VALUE_BYTES_MAX,
  JSON_DEPTH_MAX,
  PARAM_HEADERS_MAX,
  PARAM_HEADER_NAME_CHARS_MAX,
  PROMPT_ARGUMENTS_MAX,
  ROOTS_MAX,
  SAMPLING_BLOCKS_MAX,
  SAMPLING_CHARS_MAX,
  SAMPLING_MESSAGES_MAX,
  SAMPLING_TOKENS_MAX,
  SCHEMA_CHARS_MAX,
  SCHEMA_DEPTH_MAX,
  SCHEMA_NODES_MAX,
  SEALED_STATE_CHARS_MAX,
  TEMPLATE_VARIABLES_MAX,
  TOOL_NAME_CHARS_MAX,
  URI_CHARS_MAX,
} from './limits.js';
export { META, PROGRESS_TOKEN_KEY, PROTOCOL_META_PREFIX, TRACE_KEYS } from './meta-keys.js';
export {
  MODERN_METHODS,
  MULTI_ROUND_METHODS,
  isModernMethod,
  isMultiRoundMethod,
  nameParamOf,
  type ModernMethod,
  type MultiRoundMethod,
} from './methods.js';
export { isJsonContentType, parseAccept, type AcceptedTypes } from './modern/accept.js';
export type { AnswerVerdict } from './modern/answer-verdict.js';
export { checkAnswer } from './modern/answers.js';
export { checkAsk, type AskRules } from './modern/asks.js';
export { capabilitiesOfAsk, missingCapabilities, type AskShape } from './modern/capabilities.js';
export {
  checkPromptDefinition,
  checkResourceDefinition,
  checkResourceTemplateDefinition,
  checkToolDefinition,
} from './modern/definitions.js';
export { MCP_LOG_LEVELS, parseEnvelope, type Envelope, type McpLogLevel } from './modern/envelope.js';
export { checkField } from './modern/form-field.js';
export { decodeHeaderValue, encodeHeaderValue } from './modern/header-value.js';
export { hostPolicy, type HostPolicy, type HostPolicyOptions } from './modern/host-origin.js';
export { isPromptName, isToolName } from './modern/names.js';
export {
  checkParamHeaders,
  scanParamHeaders,
  type ParamHeader,
  type ParamHeaderFault,
  type ParamHeaderScan,
} from './modern/param-headers.js';
export { checkUriTemplate, resourceTemplateMatcher } from './modern/resource-template.js';
export { MODERN_REVISION, SERVED_REVISIONS } from './revision.js';
