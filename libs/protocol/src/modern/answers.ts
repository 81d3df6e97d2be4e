/**
 * Whether what came back answers what was asked (client/elicitation, client/sampling, client/roots). The answer is the
 * client's and trusted in nothing; the ask comes out of sealed state and has passed `checkAsk`. What a worker gets is
 * rebuilt from the members that the result's shape has, so nothing else rides along. Reasons never repeat a value.
 */
import { isJsonObject, ownMember, setOwn, type JsonObject } from '../json-object.js';
import { DISPLAY_NAME_CHARS_MAX, FIELD_NAME_CHARS_MAX, FORM_ANSWER_CHARS_MAX, ROOTS_MAX } from '../limits.js';
import { invalid, type AnswerVerdict } from './answer-verdict.js';
import type { AskShape } from './capabilities.js';
import { checkFieldValue } from './form-value.js';
import { checkSamplingAnswer } from './sampling-answer.js';
import { isAbsoluteUri } from './string-formats.js';

/** Only elicitation can be declined or cancelled; sampling and roots are accepted or invalid. */
export function checkAnswer(ask: AskShape, answer: unknown): AnswerVerdict {
  if (!isJsonObject(answer)) return invalid('answer is not an object');
  switch (ask.method) {
    case 'elicitation/create':
      return checkElicitAnswer(ask.params ?? {}, answer);
    case 'sampling/createMessage':
      return checkSamplingAnswer(answer);
    case 'roots/list':
      return checkRootsAnswer(answer);
    default:
      return invalid('nothing of this kind was asked');
  }
}

function checkElicitAnswer(params: JsonObject, answer: JsonObject): AnswerVerdict {
  switch (answer.action) {
    case 'accept':
      // Accepting an address is consent to open it, not word that anything there is done; it carries no content.
      return params.mode === 'url'
        ? { status: 'accepted', answer: { action: 'accept' } }
        : checkFormAnswer(params, answer.content);
    case 'decline':
      return { status: 'declined', answer: { action: 'decline' } };
    case 'cancel':
      return { status: 'cancelled', answer: { action: 'cancel' } };
    default:
      return invalid('action is not accept, decline or cancel');
  }
}

function checkFormAnswer(params: JsonObject, content: unknown): AnswerVerdict {
  if (!isJsonObject(content)) return invalid('accept without content');
  const schema = isJsonObject(params.requestedSchema) ? params.requestedSchema : {};
  const fields = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const absent = required.find((name) => typeof name === 'string' && !Object.hasOwn(content, name));
  if (absent !== undefined) return invalid(`field ${JSON.stringify(absent)} is required`);

  const clean: Record<string, unknown> = {};
  for (const name of Object.keys(content)) {
    const field = ownMember(fields, name);
    if (!isJsonObject(field)) return invalid('content has a field that was not asked for');
    const broken = checkFieldValue(field, content[name]);
    if (broken !== undefined) return invalid(`field ${JSON.stringify(name.slice(0, FIELD_NAME_CHARS_MAX))} ${broken}`);
    setOwn(clean, name, content[name]);
  }
  if (JSON.stringify(clean).length > FORM_ANSWER_CHARS_MAX) return invalid('content is too large');
  return { status: 'accepted', answer: { action: 'accept', content: clean } };
}

function checkRootsAnswer(answer: JsonObject): AnswerVerdict {
  const { roots } = answer;
  if (!Array.isArray(roots)) return invalid('roots is not a list');
  if (roots.length > ROOTS_MAX) return invalid('roots has too many entries');
  if (!roots.every(isRoot)) return invalid('roots has an entry that is no file URI with an optional name');
  return {
    status: 'accepted',
    answer: { roots: roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name })) },
  };
}

function isRoot(root: unknown): root is { uri: string; name?: string } {
  if (!isJsonObject(root)) return false;
  const { uri, name } = root;
  if (typeof uri !== 'string' || !uri.startsWith('file://') || !isAbsoluteUri(uri)) return false;
  return name === undefined || (typeof name === 'string' && name.length <= DISPLAY_NAME_CHARS_MAX);
}
