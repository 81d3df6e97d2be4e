// Import cycles between the files of one project. Under ESM, two decorated classes in a cycle fail at import with
// "Cannot access before initialization"; imports of types alone are erased and do not count.
import { dirname, join } from 'node:path/posix';

const IMPORT = /^\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'(\.{1,2}\/[^']+)'/gm;

/** @returns {string[]} one line a cycle, its files in the order of import */
export function findCycles(sources) {
  const graph = new Map(sources.map(({ path, text }) => [path, importsOf(path, text)]));
  const state = new Map();
  const cycles = [];
  const visit = (path, trail) => {
    if (state.get(path) === 'done' || !graph.has(path)) return;
    if (state.get(path) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      return;
    }
    state.set(path, 'open');
    for (const imported of graph.get(path)) visit(imported, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

function importsOf(path, text) {
  const isTypeScript = path.endsWith('.ts');
  return [...text.matchAll(IMPORT)].map(([, specifier]) => {
    const target = join(dirname(path), specifier);
    return isTypeScript ? target.replace(/\.js$/, '.ts') : target;
  });
}
