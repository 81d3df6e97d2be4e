// Rules and dashboards as the chart carries them: Helm reads no file outside its chart, so it has copies.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../child.mjs';

/** Folder below deploy/observability and what of it is copied. */
const COPIED = { rules: '.yaml', dashboards: '.json' };

/** @returns {Record<string, string>} text by path in the workspace */
export function chartCopies() {
  return Object.fromEntries(Object.entries(COPIED).flatMap(([folder, ending]) => copiesOf(folder, ending)));
}

function copiesOf(folder, ending) {
  const source = join(ROOT, 'deploy/observability', folder);
  if (!existsSync(source)) return [];
  const files = readdirSync(source).filter((file) => file.endsWith(ending));
  return files.map((file) => [`charts/roundhouse/files/${folder}/${file}`, readFileSync(join(source, file), 'utf8')]);
}
