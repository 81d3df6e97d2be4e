/** Runs the measurement of sealing, a program of the library, in its process. */
import { runToEnd } from './run-to-end.js';

const PROGRAM = 'libs/sealed-state/bench/seal-cost.ts';

/** Microseconds of processor time to seal and open 2 KiB. */
export async function measureSealCost(): Promise<number> {
  return Number(await runToEnd(process.execPath, ['--import', './tools/ts-hook.mjs', PROGRAM]));
}
