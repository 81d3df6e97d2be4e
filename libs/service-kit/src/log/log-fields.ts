/**
 * The closed list of what a log line may carry besides its message, each field with its shape. A field that is not here,
 * or does not have its shape, is left out and counted: what a new field might hold cannot slip into a log unseen.
 */
import { safeText, safeWord } from './safe-text.js';

/** What becomes of a value; undefined leaves it out. */
type Shape = (value: unknown) => string | number | boolean | undefined;

const word: Shape = (value) => safeWord(value);
const text =
  (charsMax: number): Shape =>
  (value) =>
    typeof value === 'string' ? safeText(value, charsMax) : undefined;
const count: Shape = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/** Long enough for the sentences of our own code and of the system. */
const SENTENCE_CHARS_MAX = 1_024;
/** A stack names files and lines of the program, never values. */
const STACK_CHARS_MAX = 8_192;

/** Longest name of a tool or ask, in characters. */
const NAME_CHARS_MAX = 256;

/** Ids, addresses and codes are words; names are as their authors chose; sentences are our own. */
export const LOG_FIELDS = {
  context: word,
  // errors
  code: word,
  reason: word,
  cause: text(STACK_CHARS_MAX),
  stack: text(STACK_CHARS_MAX),
  // traces
  trace_id: word,
  span_id: word,
  'roundhouse.flow.id': word,
  // what an error is about
  target: text(NAME_CHARS_MAX),
  tool: text(NAME_CHARS_MAX),
  ask: text(NAME_CHARS_MAX),
  group: word,
  endpoint: word,
  host: word,
  store: word,
  setting: word,
  kind: word,
  limit: text(128),
  purpose: word,
  kid: word,
  rule: text(SENTENCE_CHARS_MAX),
  problem: text(SENTENCE_CHARS_MAX),
  problems: text(SENTENCE_CHARS_MAX),
  failure: text(128),
  worker: text(SENTENCE_CHARS_MAX),
  // figures
  index: count,
  problemCount: count,
  stateBytes: count,
  sealedBytes: count,
  continuationChars: count,
} as const satisfies Readonly<Record<string, Shape>>;

/** Said of a line that had fields which are not on the list. */
export const DROPPED_FIELDS = 'droppedFields';

/** The fields that may be logged, as they may be logged. */
export function allowedFields(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const allowed: Record<string, unknown> = {};
  let dropped = 0;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const shape: Shape | undefined = Object.hasOwn(LOG_FIELDS, name)
      ? LOG_FIELDS[name as keyof typeof LOG_FIELDS]
      : undefined;
    const shaped = shape?.(value);
    if (shaped === undefined) dropped += 1;
    else allowed[name] = shaped;
  }
  if (dropped > 0) allowed[DROPPED_FIELDS] = dropped;
  return allowed;
}
