// npm run build: src/ of every app and library to its dist/, in one process. Type errors are typecheck's to find.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './child.mjs';
import { buildProject } from './swc-build.mjs';
import { readArguments } from './usage.mjs';

readArguments({
  usage: 'Usage: npm run build\n\nCompiles every app and library into its dist/ folder, which production runs.',
});
const projects = ['apps', 'libs'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => join(folder, name)),
);
const startedMs = performance.now();
for (const project of projects) buildProject(join(ROOT, project));
process.stdout.write(`${projects.length} projects built in ${Math.round(performance.now() - startedMs)} ms\n`);
