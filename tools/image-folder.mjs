// The content of an image: a compiled app with the libraries and packages that it needs, and nothing else.
// Usage: node tools/image-folder.mjs --app router --out <folder>, after npm run build.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './child.mjs';
import { contentOf, IMAGES, readJson } from './image-content.mjs';
import { readArguments } from './usage.mjs';

/** For people and debuggers; licences stay. */
const LEFT_OUT = /(\.d\.[cm]?ts|\.map|\.md)$/;

const { values } = readArguments({
  options: { app: { type: 'string' }, out: { type: 'string' } },
  usage: `
Usage: node tools/image-folder.mjs --app <app> --out <folder>

Puts into the folder what an image of the app holds: main.mjs, which starts it, its compiled code, that of the libraries,
and the packages of production. The app is one of ${IMAGES.join(', ')}. Run npm run build first.
`,
});
const { app, out } = values;
if (app === undefined || !IMAGES.includes(app) || out === undefined) {
  process.stderr.write('--app and --out are needed; --help tells more\n');
  process.exit(2);
}

const { projects, packages } = contentOf(app);
rmSync(out, { recursive: true, force: true });
for (const project of projects) copyProject(project);
for (const path of packages) copy(path);
writeFileSync(
  join(out, 'package.json'),
  `${JSON.stringify({ name: 'roundhouse', version: readJson('package.json').version, type: 'module' })}\n`,
);
writeFileSync(join(out, 'main.mjs'), `// What the image starts.\nimport './apps/${app}/dist/main.js';\n`);

function copyProject(project) {
  if (!existsSync(join(ROOT, project, 'dist'))) throw new Error(`${project} is not compiled: npm run build`);
  for (const part of ['package.json', 'dist', 'bin'])
    if (existsSync(join(ROOT, project, part))) copy(`${project}/${part}`);
  const link = join(out, 'node_modules', readJson(`${project}/package.json`).name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join('../..', project), link);
}

function copy(path) {
  // Packages of a package are packages of their own, and copied when something needs them.
  const own = join(ROOT, path);
  const isNested = (file) => file.slice(own.length).includes('node_modules');
  cpSync(own, join(out, path), { recursive: true, filter: (file) => !LEFT_OUT.test(file) && !isNested(file) });
}
