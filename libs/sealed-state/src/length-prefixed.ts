/**
 * Joins texts into bytes so that no two lists give the same bytes: for AAD and digests, never for reading back.
 */

/**
 * Every part becomes `<length>:<text>`, in UTF-16 little-endian. UTF-16 because a lone surrogate, legal in a JSON
 * string, would turn into U+FFFD in UTF-8 and make two different texts one.
 */
export function lengthPrefixed(parts: readonly string[]): Buffer {
  let joined = '';
  for (const part of parts) joined += `${part.length}:${part}`;
  return Buffer.from(joined, 'utf16le');
}
