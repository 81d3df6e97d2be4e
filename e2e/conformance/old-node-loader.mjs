// Module loader behind old-node.mjs: the suite, and nothing else, gets Node's fs with the one name that Node 20 lacks.
import * as fs from 'node:fs';

const SUITE = '/@modelcontextprotocol/conformance/';
const FS_WITH_GLOB = 'fs-with-glob:';

const names = Object.keys(fs).filter((name) => name !== 'default' && name !== 'globSync');
const source = `
  import fs from 'node:fs';
  export { fs as default };
  export const { ${names.join(', ')} } = fs;
  export function globSync() { throw new Error('globSync needs Node 22'); }
`;

export function resolve(specifier, context, nextResolve) {
  const wantsFs = specifier === 'fs' || specifier === 'node:fs';
  if (wantsFs && context.parentURL?.includes(SUITE)) return { url: FS_WITH_GLOB, shortCircuit: true };
  return nextResolve(specifier, context);
}

export function load(url, context, nextLoad) {
  if (url === FS_WITH_GLOB) return { format: 'module', source, shortCircuit: true };
  return nextLoad(url, context);
}
