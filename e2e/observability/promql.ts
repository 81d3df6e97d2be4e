/**
 * Names in a PromQL expression, as far as a test of dashboards has to know them: which metrics it reads, and by which
 * labels it selects, groups and joins. Whether it is PromQL at all, Prometheus itself decides.
 */
export interface PromqlNames {
  readonly metrics: readonly string[];
  /** Labels it selects by, with the metric they stand at. */
  readonly selected: readonly (readonly [metric: string, label: string])[];
  /** Labels of `by`, `on`, `without`, `ignoring`, `group_left` and `group_right`. */
  readonly grouped: readonly string[];
}

const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
const GROUPING = /\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const RANGE = /\[[^\]]*\]|\boffset\s+\S+/g;
const SELECTOR = /([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})?/g;
const WORDS = new Set('and or unless bool offset inf nan'.split(' '));

export function namesIn(expression: string): PromqlNames {
  // Values of labels may hold anything, so they go first.
  const bare = expression.replaceAll(STRING, '""').replaceAll(RANGE, ' ');
  const grouped = [...bare.matchAll(GROUPING)].flatMap(([, labels = '']) => listed(labels));
  const rest = bare.replaceAll(GROUPING, ' ');
  const selectors = [...rest.matchAll(SELECTOR)].filter((match) => isMetric(rest, match));
  return {
    metrics: [...new Set(selectors.map(([, name = '']) => name))],
    selected: selectors.flatMap(([, name = '', braces = '']) =>
      labelsIn(braces).map((label) => [name, label] as const),
    ),
    grouped: [...new Set(grouped)],
  };
}

/** Not a function, an operator, a number such as `1e3`, or a label inside braces (the selector before has taken those). */
function isMetric(text: string, match: RegExpExecArray): boolean {
  const [whole, name = '', braces] = match;
  if (WORDS.has(name.toLowerCase()) || /[\d.]/.test(text[match.index - 1] ?? '')) return false;
  return braces !== undefined || !/^\s*\(/.test(text.slice(match.index + whole.length));
}

function labelsIn(braces: string): string[] {
  return [...braces.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
}

function listed(labels: string): string[] {
  return labels
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
}
