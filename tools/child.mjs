// Runs a program to its end: its exit code becomes ours, a signal sent to us reaches it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Path of a file in the workspace's node_modules. */
export const tool = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** Runs node with these arguments from the workspace root; resolves with the exit code, 128 when a signal ended it. */
export function runNode(args, { env = process.env, stdio = 'inherit', input } = {}) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio });
  const forward = (signal) => child.kill(signal);
  process.on('SIGTERM', forward).on('SIGINT', forward);
  if (input !== undefined) child.stdin.end(input);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr?.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('SIGTERM', forward).off('SIGINT', forward);
      resolve({ code: code ?? 128, output });
    });
  });
}
