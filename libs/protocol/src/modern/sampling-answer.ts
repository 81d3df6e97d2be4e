/**
 * A model's message as a client hands it back (client/sampling, `CreateMessageResult`): known content blocks with
 * their own members only. What the message says is for the tool to distrust.
 */
import { isJsonObject, type JsonObject } from '../json-object.js';
import { DISPLAY_NAME_CHARS_MAX, SAMPLING_BLOCKS_MAX, SAMPLING_CHARS_MAX } from '../limits.js';
import { invalid, type AnswerVerdict } from './answer-verdict.js';

type Check = (value: unknown) => boolean;
type Members = Readonly<Record<string, Check>>;

interface BlockShape {
  readonly required: Members;
  readonly optional: Members;
}

const isString: Check = (value) => typeof value === 'string';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isObjectList: Check = (value) => Array.isArray(value) && value.every(isJsonObject);
const media: BlockShape = { required: { data: isString, mimeType: isString }, optional: { annotations: isJsonObject } };

const BLOCK_SHAPES = new Map<unknown, BlockShape>([
  ['text', { required: { text: isString }, optional: { annotations: isJsonObject } }],
  ['image', media],
  ['audio', media],
  ['tool_use', { required: { id: isString, name: isString, input: isJsonObject }, optional: {} }],
  [
    'tool_result',
    {
      required: { toolUseId: isString, content: isObjectList },
      optional: { structuredContent: () => true, isError: isBoolean },
    },
  ],
]);

export function checkSamplingAnswer(answer: JsonObject): AnswerVerdict {
  const { role, model, stopReason, content } = answer;
  if (role !== 'user' && role !== 'assistant') return invalid('role is not user or assistant');
  if (!isName(model) || model === '') return invalid('model is not a name');
  if (stopReason !== undefined && !isName(stopReason)) return invalid('stopReason is not a name');
  const blocks = Array.isArray(content) ? content : [content];
  if (blocks.length === 0 || blocks.length > SAMPLING_BLOCKS_MAX) return invalid('content has no block or too many');
  const cleaned = blocks.map(cleanBlock);
  if (cleaned.includes(undefined)) return invalid('content has a block that is malformed');
  const result = {
    role,
    content: Array.isArray(content) ? cleaned : cleaned[0],
    model,
    ...(stopReason === undefined ? {} : { stopReason }),
  };
  if (JSON.stringify(result).length > SAMPLING_CHARS_MAX) return invalid('answer is too large');
  return { status: 'accepted', answer: result };
}

/** The block without members that its type does not have; undefined when it is not well-formed. */
function cleanBlock(block: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(block)) return undefined;
  const shape = BLOCK_SHAPES.get(block.type);
  if (!shape) return undefined;
  const clean: Record<string, unknown> = { type: block.type };
  for (const [name, isRight] of Object.entries(shape.required)) {
    if (!isRight(block[name])) return undefined;
    clean[name] = block[name];
  }
  for (const [name, isRight] of Object.entries(shape.optional)) {
    if (block[name] === undefined) continue;
    if (!isRight(block[name])) return undefined;
    clean[name] = block[name];
  }
  return clean;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= DISPLAY_NAME_CHARS_MAX;
}
