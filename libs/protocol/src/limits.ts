/**
 * Every bound on what comes from outside and crosses the wire, with its unit in the name and its reason beside it.
 * `_CHARS` counts UTF-16 code units, which is what `length` tells at no cost; `_POINTS` counts code points.
 */

/** One request body. Leaves room for images in sampling answers; the chart's ingress limit must match. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Objects and arrays within each other, in a body or a worker's result. Real arguments stay below 20; parsers and digests recurse. */
export const JSON_DEPTH_MAX = 64;
/** tools page: names of 1 to 128 characters. */
export const TOOL_NAME_CHARS_MAX = 128;
/** Resource URIs, URI templates and url-mode addresses: what browsers and proxies carry without trouble. */
export const URI_CHARS_MAX = 2_048;
/** A `requestState` string, checked before anything is decoded. Above the default budget the continuation is kept elsewhere. */
export const SEALED_STATE_CHARS_MAX = 32 * 1024;
/** One header value before decoding; Node itself stops at 16 KiB for all headers together. */
export const HEADER_VALUE_BYTES_MAX = 8 * 1024;
/** The name in an `x-mcp-header` annotation; Node and proxies limit names less gently than values. */
export const PARAM_HEADER_NAME_CHARS_MAX = 64;
/** Annotated parameters per tool, each a header of its own. */
export const PARAM_HEADERS_MAX = 32;

/** Entries of `inputRequests` in one round: a person answers them all before the call goes on. */
export const ASKS_PER_ROUND_MAX = 16;
/** Entries of `inputResponses` in one request; unknown keys are ignored, so more than asks are tolerated. */
export const ANSWERS_MAX = 64;
/** `message` of an elicitation, in any mode. */
export const ASK_MESSAGE_CHARS_MAX = 4_096;
/** Properties of one form. */
export const FORM_FIELDS_MAX = 64;
/** A property name of a form. */
export const FIELD_NAME_CHARS_MAX = 128;
/** `title` of a form field or of one of its options. */
export const FIELD_TITLE_CHARS_MAX = 256;
/** `description` of a form field. */
export const FIELD_DESCRIPTION_CHARS_MAX = 2_048;
/** Options of one single or multi select. */
export const ENUM_OPTIONS_MAX = 256;
/** The value of one option. */
export const ENUM_VALUE_CHARS_MAX = 512;
/** One text in an answer to a form, whatever its `maxLength` allows. */
export const ANSWER_TEXT_CHARS_MAX = 16 * 1024;
/** All of an answer to a form as JSON text: answers are sealed with the flow. */
export const FORM_ANSWER_CHARS_MAX = 64 * 1024;

/** Messages of one sampling request. */
export const SAMPLING_MESSAGES_MAX = 256;
/** `maxTokens` of one sampling request: above any model's output. */
export const SAMPLING_TOKENS_MAX = 1_000_000;
/** A sampling request or its answer as JSON text: one image of reasonable size. */
export const SAMPLING_CHARS_MAX = 1024 * 1024;
/** Content blocks of one sampling answer. */
export const SAMPLING_BLOCKS_MAX = 64;
/** Entries of one `roots/list` answer. */
export const ROOTS_MAX = 256;
/** Names that are shown and nothing else: of a root, a model, a client. */
export const DISPLAY_NAME_CHARS_MAX = 256;

/** A description of a catalogue entry: models read it whole. */
export const DESCRIPTION_CHARS_MAX = 32 * 1024;
/** One `inputSchema` or `outputSchema` as JSON text. */
export const SCHEMA_CHARS_MAX = 256 * 1024;
/** Objects and arrays within each other in a schema. */
export const SCHEMA_DEPTH_MAX = 64;
/** Objects and arrays in a schema altogether: validators take time for each. */
export const SCHEMA_NODES_MAX = 20_000;
/** Arguments of one prompt. */
export const PROMPT_ARGUMENTS_MAX = 64;
/** Variables of one URI template: matching takes time for each. */
export const TEMPLATE_VARIABLES_MAX = 16;
