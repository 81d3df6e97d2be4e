/** Runs a program that ends by itself, such as a load generator, and gives what it printed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../harness/workspace.js';

/** Standard output. Rejects when the program cannot be started or ends with anything but 0. */
export async function runToEnd(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  process.removeListener('exit', killAtExit);
  if (code !== 0) throw new Error(`${program} ended with ${code ?? child.signalCode}: ${output.slice(-2_000)}`);
  return output;
}
