/**
 * `x-mcp-header`: which arguments of a tool travel a second time as `Mcp-Param-*` headers, and whether the headers of
 * a call say what its body says (transports/streamable-http, custom headers; server/tools). The scan trusts no schema
 * and runs once per tool; the check trusts the scan and runs once per call.
 */
import { isJsonObject, ownMember, type JsonObject } from '../json-object.js';
import { PARAM_HEADER_NAME_CHARS_MAX, PARAM_HEADERS_MAX, SCHEMA_DEPTH_MAX, SCHEMA_NODES_MAX } from '../limits.js';
import { decodeHeaderValue } from './header-value.js';

export interface ParamHeader {
  /** In lower case, e.g. `mcp-param-region`. */
  readonly header: string;
  /** Property names from the root of the arguments. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

export type ParamHeaderScan =
  { readonly ok: true; readonly headers: readonly ParamHeader[] } | { readonly ok: false; readonly reason: string };

export interface ParamHeaderFault {
  readonly header: string;
  readonly reason: 'header_missing' | 'header_malformed' | 'header_differs';
}

const ANNOTATION = 'x-mcp-header';
/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Integers are compared as numbers: `42` and `42.0` are equal. */
const INTEGER = /^-?\d+(?:\.0+)?$/;
/** Keywords whose value is data: what looks like an annotation in there is none. */
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose members are named by the author: their keys are not keywords. */
const NAME_MAPS = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** A node of the schema; `path` only while nothing but `properties` lies between it and the root. */
interface Place {
  readonly node: unknown;
  readonly path?: readonly string[];
}

/** Finds the annotated parameters. One bad annotation anywhere spoils the whole tool. */
export function scanParamHeaders(inputSchema: unknown): ParamHeaderScan {
  const headers = new Map<string, ParamHeader>();
  const places: Place[] = [{ node: inputSchema, path: [] }];
  for (const place of places) {
    const { node } = place;
    if (places.length > SCHEMA_NODES_MAX) return { ok: false, reason: 'schema has too many nodes' };
    if ((place.path?.length ?? 0) > SCHEMA_DEPTH_MAX) return { ok: false, reason: 'schema is nested too deeply' };
    if (Array.isArray(node)) for (const item of node) addPlace(places, item);
    if (!isJsonObject(node)) continue;
    if (Object.hasOwn(node, ANNOTATION)) {
      const reason = addHeader(headers, node, place.path);
      if (reason !== undefined) return { ok: false, reason: `${ANNOTATION} ${reason}` };
    }
    addSubschemas(places, node, place.path);
  }
  return { ok: true, headers: [...headers.values()] };
}

/** @returns why the annotation is not allowed, without repeating what it says. */
function addHeader(headers: Map<string, ParamHeader>, node: JsonObject, path?: readonly string[]): string | undefined {
  if (path === undefined || path.length === 0) return 'stands where properties alone do not lead';
  const name = node[ANNOTATION];
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'is not a header name';
  if (name.length > PARAM_HEADER_NAME_CHARS_MAX) return 'is too long';
  const { type } = node;
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') return 'needs type string, integer or boolean';
  const header = `mcp-param-${name.toLowerCase()}`;
  if (headers.has(header)) return 'is used twice';
  headers.set(header, { header, path, type });
  return headers.size > PARAM_HEADERS_MAX ? 'is used too often' : undefined;
}

function addSubschemas(places: Place[], schema: JsonObject, path?: readonly string[]): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA_KEYWORDS.has(keyword)) continue;
    if (!NAME_MAPS.has(keyword) || !isJsonObject(value)) {
      addPlace(places, value);
      continue;
    }
    for (const [name, subschema] of Object.entries(value)) {
      addPlace(places, subschema, keyword === 'properties' && path ? [...path, name] : undefined);
    }
  }
}

function addPlace(places: Place[], node: unknown, path?: readonly string[]): void {
  if (typeof node === 'object' && node !== null) places.push({ node, path });
}

/**
 * Compares the headers of a call with its arguments. A header without a value in the body is ignored: a server must
 * not expect it, and the official SDK accepts it.
 * @param headerOf the raw value of a header that was sent exactly once; undefined when it was not sent.
 */
export function checkParamHeaders(
  expected: readonly ParamHeader[],
  args: unknown,
  headerOf: (lowerCaseName: string) => string | undefined,
): ParamHeaderFault | undefined {
  for (const { header, path } of expected) {
    const value = valueAt(args, path);
    if (value === undefined || value === null) continue;
    const reason = headerFault(value, headerOf(header));
    if (reason !== undefined) return { header, reason };
  }
  return undefined;
}

function headerFault(value: unknown, raw: string | undefined): ParamHeaderFault['reason'] | undefined {
  // No client can mirror an object or a list; without a header it is a wrong argument and the tool's to refuse.
  const isMirrored = typeof value !== 'object';
  if (raw === undefined) return isMirrored ? 'header_missing' : undefined;
  const decoded = decodeHeaderValue(raw);
  if (decoded === undefined) return 'header_malformed';
  return isMirrored && isSame(value, decoded) ? undefined : 'header_differs';
}

function isSame(value: unknown, decoded: string): boolean {
  if (!Number.isInteger(value)) return String(value) === decoded;
  // Beyond the safe integers different texts would round to one number, so nothing can be compared there.
  return Number.isSafeInteger(value) && INTEGER.test(decoded) && Number(decoded) === value;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const key of path) value = isJsonObject(value) ? ownMember(value, key) : undefined;
  return value;
}
