// Rules and dashboards as the chart carries them: Helm reads no file outside its chart, so it has copies.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../child.mjs';

/** Folder below deploy/observability and what of it is copied. */
const COPIED = { rules: '.yaml', dashboards: '.json' };

/**
 * @param {Record<string, string>} fresh text of files that are about to be written, by path
 * @returns {Record<string, string>} text by path in the workspace
 */
export function chartCopies(fresh = {}) {
  const copies = Object.entries(COPIED).flatMap(([folder, ending]) => copiesOf(folder, ending, fresh));
  return Object.fromEntries(copies);
}

function copiesOf(folder, ending, fresh) {
  const source = join(ROOT, 'deploy/observability', folder);
  if (!existsSync(source)) return [];
  const files = readdirSync(source).filter((file) => file.endsWith(ending));
  return files.map((file) => [
    `charts/roundhouse/files/${folder}/${file}`,
    fresh[`deploy/observability/${folder}/${file}`] ?? readFileSync(join(source, file), 'utf8'),
  ]);
}
