/**
 * Whether an entry of a catalogue may stand in a list that clients see (server/tools, server/prompts,
 * server/resources). One bad definition must cost only itself, so each check tells why instead of throwing; the reason
 * is for the operator. What an entry means beyond its shape is not judged.
 */
import { isJsonObject, type JsonObject } from '../json-object.js';
import { DESCRIPTION_CHARS_MAX, DISPLAY_NAME_CHARS_MAX, PROMPT_ARGUMENTS_MAX } from '../limits.js';
import { isPromptName, isToolName } from './names.js';
import { scanParamHeaders } from './param-headers.js';
import { checkUriTemplate } from './resource-template.js';
import { checkSchemaSize } from './schema-size.js';
import { isAbsoluteUri } from './string-formats.js';

/** Each of these returns why the definition is left out, in words; undefined when it is good. */
export function checkToolDefinition(tool: unknown): string | undefined {
  if (!isJsonObject(tool)) return 'is not an object';
  if (!isToolName(tool.name)) return 'has a name outside [A-Za-z0-9_.-]{1,128}';
  return checkDescribed(tool) ?? checkInputSchema(tool.inputSchema) ?? checkOutputSchema(tool.outputSchema);
}

export function checkPromptDefinition(prompt: unknown): string | undefined {
  if (!isJsonObject(prompt)) return 'is not an object';
  if (!isPromptName(prompt.name)) return 'has a name that is empty, too long or unprintable';
  return checkDescribed(prompt) ?? checkPromptArguments(prompt.arguments);
}

export function checkResourceDefinition(resource: unknown): string | undefined {
  if (!isJsonObject(resource)) return 'is not an object';
  const { uri, size } = resource;
  if (typeof uri !== 'string' || !isAbsoluteUri(uri)) return 'has no absolute uri';
  if (size !== undefined && !(Number.isSafeInteger(size) && (size as number) >= 0))
    return 'has a size that is no count of bytes';
  return checkNamed(resource) ?? checkDescribed(resource);
}

export function checkResourceTemplateDefinition(template: unknown): string | undefined {
  if (!isJsonObject(template)) return 'is not an object';
  return checkUriTemplate(template.uriTemplate) ?? checkNamed(template) ?? checkDescribed(template);
}

function checkInputSchema(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return 'has no inputSchema';
  if (schema.type !== 'object') return 'has an inputSchema whose root type is not object';
  const size = checkSchemaSize(schema);
  if (size !== undefined) return `has an inputSchema that ${size}`;
  const scan = scanParamHeaders(schema);
  return scan.ok ? undefined : `has an inputSchema whose ${scan.reason}`;
}

/** Any schema may describe a result, but it is an object on the wire. */
function checkOutputSchema(schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  if (!isJsonObject(schema)) return 'has an outputSchema that is not an object';
  const size = checkSchemaSize(schema);
  return size === undefined ? undefined : `has an outputSchema that ${size}`;
}

function checkPromptArguments(args: unknown): string | undefined {
  if (args === undefined) return undefined;
  if (!Array.isArray(args) || args.length > PROMPT_ARGUMENTS_MAX) return 'has arguments that are no list or too many';
  const names = new Set<unknown>();
  for (const arg of args) {
    if (!isJsonObject(arg) || !isPromptName(arg.name)) return 'has an argument without a name';
    if (arg.required !== undefined && typeof arg.required !== 'boolean')
      return 'has an argument whose required is not a boolean';
    const reason = checkDescribed(arg);
    if (reason !== undefined) return `has an argument that ${reason}`;
    names.add(arg.name);
  }
  return names.size === args.length ? undefined : 'has two arguments of one name';
}

function checkNamed(entry: JsonObject): string | undefined {
  if (!isShortText(entry.name) || entry.name === '') return 'has no name';
  const { mimeType } = entry;
  return mimeType === undefined || isShortText(mimeType) ? undefined : 'has a mimeType that is no string';
}

/** What all kinds of entries may carry. `null` is not absence: clients refuse it. */
function checkDescribed(entry: JsonObject): string | undefined {
  const { title, description, annotations, icons, _meta: meta } = entry;
  if (title !== undefined && !isShortText(title)) return 'has a title that is no string or too long';
  if (description !== undefined && (typeof description !== 'string' || description.length > DESCRIPTION_CHARS_MAX)) {
    return 'has a description that is no string or too long';
  }
  if (annotations !== undefined && !isJsonObject(annotations)) return 'has annotations that are no object';
  if (icons !== undefined && !(Array.isArray(icons) && icons.every(isJsonObject)))
    return 'has icons that are no list of objects';
  return meta === undefined || isJsonObject(meta) ? undefined : 'has a _meta that is no object';
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= DISPLAY_NAME_CHARS_MAX;
}
