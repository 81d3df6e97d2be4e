/**
 * npm run faults [-- --minutes N] [--seed S] [--only FAULT] [--unsafe-no-fence] [--rotations | --eras] [--json]: breaks the running
 * system under load and checks that single use holds, or rotates keys under load and checks that no valid state is refused,
 * or lets clients of both eras call side by side and checks that each gets its own answers. Ends with 1 when it does not, and
 * says where the history lies.
 */
import { randomInt } from 'node:crypto';
import { relative } from 'node:path';
import { ROOT } from '../harness/workspace.js';
import { playCampaign, type Campaign } from './campaign.js';
import { judgeEras, playEras } from './eras.js';
import { FAULTS } from './faults.js';
import { parseFaultOptions, type FaultOptions } from './options.js';
import { PROMISES, type Check } from './promises.js';
import { judgeRotations, playRotations } from './rotations.js';

/** For the run that must fail: enough flushes, each with nonces that are sent again after it. */
const TEETH_LOAD_MS = 8_000;

/** What one part of a run found. */
interface Part {
  readonly checks: readonly Check[];
  readonly counts: object;
}

// What was started is killed when this process exits; a signal must therefore end it through exit.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const options = readOptions();
const faults = options.hasFaults ? await playFaults(options) : undefined;
const keys = options.rotationsMs === undefined ? undefined : await playKeys(options.seed, options.rotationsMs);
const eras = options.erasMs === undefined ? undefined : await playBothEras(options.seed, options.erasMs);
const checks = [faults, keys, eras].flatMap((part) => part?.checks ?? []);
const failed = checks.filter(({ against }) => against.length > 0).length;
const outcome = { seed: options.seed, passed: checks.length - failed, failed, skipped: 0 };
// The counts of whatever was asked for stand by themselves; beside those of faults, rotations have a place of their own.
const counts =
  faults === undefined ? (keys ?? eras)?.counts : { ...faults.counts, ...(keys && { keyRotations: keys.counts }) };
if (options.json) print(JSON.stringify({ ...counts, ...outcome }));
process.exit(failed === 0 ? 0 : 1);

function readOptions(): FaultOptions {
  try {
    return parseFaultOptions(process.argv.slice(2), () => randomInt(2 ** 32));
  } catch (error) {
    print((error as Error).message);
    return process.exit(2);
  }
}

async function playFaults(given: FaultOptions): Promise<Part> {
  print(`seed ${given.seed}; faults: ${given.faults.map(({ name }) => name).join(', ')}`);
  const campaign = await playCampaign({ ...given, name: String(given.seed), say: print });
  tell(campaign);
  const held = [
    ...PROMISES.map(({ sentence, against }): Check => ({ sentence, against: against(campaign, given) })),
    ...(given.showsTeeth ? [await showTeeth(given)] : []),
  ];
  if (!tellChecks(held)) print(`the history is in ${relative(ROOT, campaign.historyFile)}`);
  const { violations: _violations, ...verdict } = campaign.verdict;
  return { checks: held, counts: { ...verdict, faults: Object.fromEntries(campaign.struck) } };
}

async function playKeys(seed: number, loadMs: number): Promise<Part> {
  print(`seed ${seed}; keys rotate under ${Math.round(loadMs / 1_000)} s of flows`);
  const run = await playRotations({ seed, loadMs, say: print });
  const { complaints: _complaints, unfinished, ...numbers } = run;
  const counted = { ...numbers, unfinished: unfinished.length };
  print(toText(counted));
  const held = judgeRotations(run);
  tellChecks(held);
  return { checks: held, counts: counted };
}

async function playBothEras(seed: number, durationMs: number): Promise<Part> {
  print(`seed ${seed}; clients of both eras call for ${Math.round(durationMs / 1_000)} s`);
  const run = await playEras({ seed, durationMs, say: print });
  const { complaints: _complaints, examples, ...counts } = run;
  print(toText(counts));
  for (const example of examples) print(`  ${example}`);
  const held = judgeEras(run);
  tellChecks(held);
  return { checks: held, counts };
}

/** Without the fence a flushed store forgets what is spent: if the judge did not find that, it would find nothing. */
async function showTeeth({ seed }: FaultOptions): Promise<Check> {
  print('the same without the epoch fence, and nothing but FLUSHALL');
  const toothless = await playCampaign({
    name: `${seed}-no-fence`,
    seed,
    loadMs: TEETH_LOAD_MS,
    faults: FAULTS.filter(({ name }) => name === 'flushall'),
    isFenced: false,
    say: print,
  });
  const { doubleExecutions } = toothless.verdict;
  print(`${doubleExecutions} nonces ran twice`);
  return {
    sentence: 'without the epoch fence, nonces that ran twice are found',
    against: doubleExecutions > 0 ? [] : ['none was'],
  };
}

function tell({ verdict, struck }: Campaign): void {
  print(`faults: ${[...struck].map(([name, times]) => `${name} ${times}x`).join(', ')}`);
  const { violations, ...numbers } = verdict;
  print(toText(numbers));
  for (const violation of violations.slice(0, 20)) print(`  ${violation}`);
  if (violations.length > 20) print(`  and ${violations.length - 20} more`);
}

/** Whether all of them held. */
function tellChecks(held: readonly Check[]): boolean {
  for (const { sentence, against } of held)
    print(`${against.length === 0 ? 'ok  ' : 'FAIL'} ${[sentence, ...against].join('; ')}`);
  return held.every(({ against }) => against.length === 0);
}

function toText(numbers: object): string {
  return Object.entries(numbers)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
