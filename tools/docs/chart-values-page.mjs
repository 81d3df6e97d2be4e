// docs/chart-values.md, made from values.yaml: every key, its default and the comment above it.
import { isMap, isScalar, parseDocument } from 'yaml';
import { code, toTable } from './table.mjs';

const MARK = '# -- ';
/** Longer defaults are read better in the file. */
const DEFAULT_CHARS_MAX = 80;
/** Keys whose content is the operator's own. */
const WHOLE = new Set(['workers', 'tests.call.arguments', 'tests.flow.arguments', 'tests.flow.answers']);

export function chartValuesPage(text) {
  const rows = rowsOf(parseDocument(text).contents);
  const lines = rows.map(({ path, value, comment = '' }) => [code(path), shown(value), comment]);
  return [
    '# Values of the chart',
    '',
    '<!-- Generated from charts/roundhouse/values.yaml by tools/generate-docs.mjs. -->',
    '',
    'Every value of `charts/roundhouse`. A key that does not stand here is refused, and so is a value of the wrong type;',
    'settings of the processes (`auth`, `policy`, `router.config`, `replay.config`, `workers.<id>.config.toolWorker`) are held',
    'against [configuration.md](configuration.md) when the chart is rendered. Each worker has the keys of `workerDefaults`.',
    '',
    toTable(['Value', 'Default', 'What it does'], lines),
  ].join('\n');
}

/** @returns {{ path: string, value: unknown, comment: string | undefined }[]} keys that have no keys below them, or a comment */
export function rowsOf(map, path = []) {
  return map.items.flatMap(({ key, value }, at) => {
    // The comment above the first key of a map is kept with the map.
    const above = key.commentBefore ?? (at === 0 ? map.commentBefore : undefined);
    const comment = toComment(above);
    const here = [...path, key.value];
    const name = here.join('.');
    if (isMap(value) && value.items.length > 0 && !isWhole(value, comment, name)) {
      const below = rowsOf(value, here);
      return comment === undefined ? below : [{ path: name, value: undefined, comment }, ...below];
    }
    return [{ path: name, value: value === null ? null : toPlain(value), comment }];
  });
}

/** A map written on one line is a value, one written on several is a part of the tree; resources are Kubernetes' own. */
function isWhole(value, comment, name) {
  return WHOLE.has(name) || name.endsWith('.resources') || (value.flow === true && comment !== undefined);
}

function toPlain(node) {
  return isScalar(node) ? node.value : node.toJSON();
}

function toComment(text) {
  const lines = (text ?? '').split('\n').map((line) => `#${line}`);
  return lines
    .findLast((line) => line.startsWith(MARK))
    ?.slice(MARK.length)
    .trim();
}

function shown(value) {
  if (value === undefined) return '';
  if (value === null) return 'empty';
  const text = JSON.stringify(value);
  return text.length > DEFAULT_CHARS_MAX ? 'see values.yaml' : code(text);
}
