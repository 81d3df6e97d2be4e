/** What forms and their fields show beside the input, and how reasons name what they found. */
import { type JsonObject } from '../json-object.js';
import { FIELD_DESCRIPTION_CHARS_MAX, FIELD_NAME_CHARS_MAX, FIELD_TITLE_CHARS_MAX } from '../limits.js';

export function checkLabels(schema: JsonObject): string | undefined {
  const { title, description } = schema;
  if (title !== undefined && !isText(title, FIELD_TITLE_CHARS_MAX)) return 'has a title that is no string or too long';
  if (description !== undefined && !isText(description, FIELD_DESCRIPTION_CHARS_MAX)) {
    return 'has a description that is no string or too long';
  }
  return undefined;
}

export function isText(value: unknown, charsMax: number): value is string {
  return typeof value === 'string' && value.length <= charsMax;
}

/** A name out of a schema, fit for a reason. */
export function quoted(name: string): string {
  return JSON.stringify(name.slice(0, FIELD_NAME_CHARS_MAX));
}
