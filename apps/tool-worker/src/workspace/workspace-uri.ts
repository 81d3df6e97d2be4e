/**
 * Reads a `file:` URI as path components and tells whether one path lies inside another. Works on the text itself: URL
 * parsers resolve encoded dot segments on the way, and what is compared must be what was decoded.
 */

/** Longer than any path an operator configures. */
const WORKSPACE_URI_CHARS_MAX = 2_048;

/** Any of these in a decoded component was encoded to get past somebody: separators, a second encoding, control characters. */
const NEVER_IN_COMPONENT = /[/\\%\p{Cc}]/u;

/** Components from the root down, dots resolved; undefined when the URI is not plainly a local absolute path. */
export function parseWorkspaceUri(uri: string): readonly string[] | undefined {
  if (uri.length > WORKSPACE_URI_CHARS_MAX || !uri.startsWith('file:///') || /[?#\\]/.test(uri)) return undefined;
  const components: string[] = [];
  for (const encoded of uri.slice('file:///'.length).split('/')) {
    const component = decode(encoded);
    if (component === undefined || NEVER_IN_COMPONENT.test(component)) return undefined;
    if (component === '' || component === '.') continue;
    if (component !== '..') components.push(component);
    else if (components.pop() === undefined) return undefined;
  }
  return components;
}

/** By component: `/srv/notes-evil` is not inside `/srv/notes`. */
export function isInside(path: readonly string[], root: readonly string[]): boolean {
  return root.length <= path.length && root.every((component, index) => component === path[index]);
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
