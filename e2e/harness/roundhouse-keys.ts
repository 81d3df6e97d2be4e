/** The operator's tool for keysets, run as a process of its own: what scenarios do to keys, operators can. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT, programOf } from './workspace.js';

const run = promisify(execFile);

/** Whether it did what it was told; otherwise nothing was changed. */
export async function roundhouseKeys(...args: readonly string[]): Promise<boolean> {
  return run(process.execPath, [...programOf('keys'), ...args], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
}
