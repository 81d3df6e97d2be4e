/** Runs the measurement of sealing in its process. */
import { fileURLToPath } from 'node:url';
import { runToEnd } from './run-to-end.js';

const PROGRAM = fileURLToPath(new URL('./seal-cost.ts', import.meta.url));

/** Microseconds of processor time to seal and open 2 KiB. */
export async function measureSealCost(): Promise<number> {
  return Number(await runToEnd(process.execPath, ['--import', './tools/ts-hook.mjs', PROGRAM]));
}
