// Runs one of the workspace's TypeScript programs in this process, so that signals and the exit code are its own.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import './ts-hook.mjs';

// For threads, which are given the arguments of the process and not what it registered.
process.execArgv.push('--import', new URL('./ts-hook.mjs', import.meta.url).href);

/** @param {string} path from the workspace root */
export async function runTypeScript(path) {
  const url = new URL(`../${path}`, import.meta.url);
  if (!existsSync(url)) {
    process.stderr.write(`${path} does not exist\n`);
    process.exit(1);
  }
  process.argv[1] = fileURLToPath(url);
  await import(url.href);
}
