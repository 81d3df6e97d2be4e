/**
 * npm run faults [-- --minutes N] [--seed S] [--only FAULT] [--unsafe-no-fence] [--json]: breaks the running system under
 * load and checks that single use holds. Ends with 1 when it does not, and says where the history lies.
 */
import { randomInt } from 'node:crypto';
import { relative } from 'node:path';
import { ROOT } from '../harness/workspace.js';
import { playCampaign, type Campaign } from './campaign.js';
import { FAULTS } from './faults.js';
import { parseFaultOptions, type FaultOptions } from './options.js';
import { PROMISES } from './promises.js';

/** For the run that must fail: enough flushes, each with nonces that are sent again after it. */
const TEETH_LOAD_MS = 8_000;

interface Check {
  readonly sentence: string;
  readonly against: readonly string[];
}

// What was started is killed when this process exits; a signal must therefore end it through exit.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const options = readOptions();
print(`seed ${options.seed}; faults: ${options.faults.map(({ name }) => name).join(', ')}`);
const campaign = await playCampaign({ ...options, name: String(options.seed), say: print });
tell(campaign);
const checks = [
  ...PROMISES.map(({ sentence, against }): Check => ({ sentence, against: against(campaign, options) })),
  ...(options.showsTeeth ? [await showTeeth(options)] : []),
];
for (const { sentence, against } of checks)
  print(`${against.length === 0 ? 'ok  ' : 'FAIL'} ${[sentence, ...against].join('; ')}`);
const failed = checks.filter(({ against }) => against.length > 0).length;
if (failed > 0) print(`the history is in ${relative(ROOT, campaign.historyFile)}`);
if (options.json) print(JSON.stringify(summaryOf(campaign, failed)));
process.exit(failed === 0 ? 0 : 1);

function readOptions(): FaultOptions {
  try {
    return parseFaultOptions(process.argv.slice(2), () => randomInt(2 ** 32));
  } catch (error) {
    print((error as Error).message);
    return process.exit(2);
  }
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
  const { violations, ...counts } = verdict;
  print(
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  );
  for (const violation of violations.slice(0, 20)) print(`  ${violation}`);
  if (violations.length > 20) print(`  and ${violations.length - 20} more`);
}

function summaryOf({ verdict, struck }: Campaign, failures: number): object {
  const { violations: _violations, ...counts } = verdict;
  return {
    ...counts,
    seed: options.seed,
    faults: Object.fromEntries(struck),
    passed: checks.length - failures,
    failed: failures,
    skipped: 0,
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
