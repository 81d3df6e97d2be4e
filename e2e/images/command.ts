/** A program run to its end: what it printed, or an error with its last words. Output can be large and is not shown. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A build on a busy machine; what takes longer hangs. */
const WITHIN_MS = 600_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const LAST_LINES = 15;

export async function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const running = run(program, args, {
    timeout: WITHIN_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
    env: { ...process.env, ...env },
  });
  const stopAtExit = (): void => void running.child.kill();
  process.once('exit', stopAtExit);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const lastWords = (stderr.trim() || message).split('\n').slice(-LAST_LINES).join('\n');
    throw new Error(`${program} ${args[0] ?? ''} failed:\n${lastWords}`, { cause: error });
  } finally {
    process.removeListener('exit', stopAtExit);
  }
}
