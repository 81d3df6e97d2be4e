/**
 * Header values that mirror body values (`Mcp-Name`, `Mcp-Param-*`): plain when they can be, Base64 of their UTF-8
 * between `=?base64?` and `?=` when they cannot (transports/streamable-http, value encoding). Decoding is strict, for
 * a lenient decoder would let two different headers pass as one body value.
 */
import { HEADER_VALUE_BYTES_MAX } from '../limits.js';

const PREFIX = '=?base64?';
const SUFFIX = '?=';
/** What may stand in a header without encoding: visible ASCII, space and tab. */
const PLAIN = /^[\t\x20-\x7e]*$/;
/** RFC 4648 section 4: full groups, padding only at the end. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The value that a raw header stands for, without the optional whitespace around it; undefined when it is malformed.
 * Markers count only whole and in lower case; anything less is a literal.
 */
export function decodeHeaderValue(raw: string): string | undefined {
  if (raw.length > HEADER_VALUE_BYTES_MAX || !PLAIN.test(raw)) return undefined;
  const value = withoutOuterSpace(raw);
  return isEncoded(value) ? decodedBase64(value.slice(PREFIX.length, -SUFFIX.length)) : value;
}

/**
 * A header value that decodes to `value`. Tabs and the empty string are encoded although both may travel plain,
 * because some proxies drop or change them. A lone surrogate becomes U+FFFD, for UTF-8 has no form for it.
 */
export function encodeHeaderValue(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
  if (isPlain && !(value.startsWith(PREFIX) && value.endsWith(SUFFIX))) return value;
  return PREFIX + Buffer.from(value, 'utf8').toString('base64') + SUFFIX;
}

function isEncoded(value: string): boolean {
  return value.startsWith(PREFIX) && value.endsWith(SUFFIX) && value.length >= PREFIX.length + SUFFIX.length;
}

function decodedBase64(text: string): string | undefined {
  if (!BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // Unused bits of the last character must be zero, or many texts would stand for one value.
  if (bytes.toString('base64') !== text) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** RFC 9110 section 5.5: spaces and tabs around a field value are not part of it. */
function withoutOuterSpace(raw: string): string {
  let start = 0;
  let end = raw.length;
  while (start < end && isOptionalSpace(raw.charCodeAt(start))) start += 1;
  while (end > start && isOptionalSpace(raw.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === raw.length ? raw : raw.slice(start, end);
}

function isOptionalSpace(char: number): boolean {
  return char === 0x20 || char === 0x09;
}
