/** Where the programs of this repository are and how they are started: from source, or what `npm run build` made. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Everything a run leaves behind; ignored by git. */
export const OUT = fileURLToPath(new URL('../../out', import.meta.url));

const HOOK = ['--import', './tools/ts-hook.mjs'];

export type App = 'router' | 'tool-worker' | 'replay' | 'keys' | 'round-trip';

/** Arguments for node, from the workspace root. */
export function programOf(app: App): string[] {
  const fromDist = process.env['ROUNDHOUSE_E2E_DIST'] === '1';
  return fromDist ? [`apps/${app}/dist/main.js`] : [...HOOK, `apps/${app}/src/main.ts`];
}

/** Arguments for node to run a TypeScript file that nothing builds. */
export function fromSource(file: string, ...args: readonly string[]): string[] {
  return [...HOOK, file, ...args];
}

let keyset: Promise<string> | undefined;

/** Text of a keyset, fresh for this run. A process of its own makes it: scenarios hold no sealing code. */
export function makeKeyset(): Promise<string> {
  keyset ??= runKeysetMaker();
  return keyset;
}

async function runKeysetMaker(): Promise<string> {
  const child = spawn(process.execPath, [...HOOK, 'tools/make-keyset.mjs'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`tools/make-keyset.mjs ended with ${code}`);
  return text;
}
