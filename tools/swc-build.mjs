// Compiles src/ of the project in the current folder to dist/. Usage: node ../../tools/swc-build.mjs
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformSync } from '@swc/core';

const options = JSON.parse(readFileSync(new URL('../.swcrc', import.meta.url), 'utf8'));
delete options.$schema;

/** Specs, the contracts that specs share, and what only specs import stay out. */
function isShipped(file) {
  return file.endsWith('.ts') && !/\.(spec|contract)\.ts$/.test(file) && !/(^|\/)testing\//.test(file);
}

export function buildProject(projectDir) {
  const source = join(projectDir, 'src');
  const target = join(projectDir, 'dist');
  rmSync(target, { recursive: true, force: true });
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isShipped(relative(source, file))) continue;
    const out = join(target, relative(source, file)).replace(/\.ts$/, '.js');
    const { code, map } = transformSync(readFileSync(file, 'utf8'), { ...options, filename: file, swcrc: false });
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, `${code}\n//# sourceMappingURL=${entry.name.replace(/\.ts$/, '.js')}.map\n`);
    writeFileSync(`${out}.map`, map);
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) buildProject(process.cwd());
