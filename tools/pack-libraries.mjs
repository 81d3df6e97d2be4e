// Packs the libraries that a worker of one's own is built on. Usage: node tools/pack-libraries.mjs
// Writes out/packages/*.tgz, compiled and with their types, ready for npm install in another folder.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { ROOT, runNode, tool } from './child.mjs';
import { buildProject } from './swc-build.mjs';
import { readArguments } from './usage.mjs';

/** worker-kit, service-kit and what these two import. */
const LIBRARIES = [
  'errors',
  'protocol',
  'contracts',
  'telemetry',
  'followed-file',
  'config',
  'service-kit',
  'worker-kit',
];
const DECLARATIONS = join(ROOT, 'out/declarations');
const PACKAGES = join(ROOT, 'out/packages');

readArguments({
  usage: `
Usage: node tools/pack-libraries.mjs

Compiles worker-kit, service-kit and what they import, with their types, and packs them into out/packages. Another
project installs them with npm install <this folder>/out/packages/*.tgz
`,
});
for (const library of LIBRARIES) buildProject(join(ROOT, 'libs', library));
await writeDeclarations();
pack();

async function writeDeclarations() {
  rmSync(DECLARATIONS, { recursive: true, force: true });
  const { code } = await runNode([tool('@typescript/native/bin/tsc'), '-p', 'tsconfig.packages.json']);
  if (code !== 0) process.exit(code);
  for (const library of LIBRARIES)
    cpSync(join(DECLARATIONS, library, 'src'), join(ROOT, 'libs', library, 'dist'), { recursive: true });
}

function pack() {
  rmSync(PACKAGES, { recursive: true, force: true });
  mkdirSync(PACKAGES, { recursive: true });
  const folders = LIBRARIES.map((library) => `./libs/${library}`);
  const { status } = spawnSync(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', PACKAGES, ...folders],
    {
      cwd: ROOT,
      stdio: 'inherit',
    },
  );
  if (status !== 0) process.exit(status ?? 1);
}
