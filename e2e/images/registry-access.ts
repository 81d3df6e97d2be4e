/** How npm inside a build reaches the registry that npm here uses: its address and the authorities that are trusted here. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { runProgram } from './command.js';

/** Arguments for buildah that put the settings of npm, and a cache of packages, where npm looks for them. */
export async function registryVolumes(folder: string): Promise<string[]> {
  const cache = join(folder, 'npm-cache');
  mkdirSync(cache, { recursive: true });
  const registry = (await runProgram('npm', ['config', 'get', 'registry'])).trim();
  const extra = process.env['NODE_EXTRA_CA_CERTS'];
  const authorities = [...rootCertificates, ...(extra ? [readFileSync(extra, 'utf8')] : [])];
  writeFileSync(join(folder, 'authorities.pem'), `${authorities.join('\n')}\n`);
  const settings = { registry, cache: '/npm/npm-cache', cafile: '/npm/authorities.pem', 'prefer-offline': true };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, 'npmrc'), lines.join(''));
  return [`--volume=${folder}:/npm`, `--volume=${join(folder, 'npmrc')}:/root/.npmrc:ro`];
}
