/** roundhouse-round-trip: what helm test runs. The only place that knows the process it runs in. */
import { lookup } from 'node:dns/promises';
import { USAGE, WrongUsage, parseTask } from './command-line.js';
import { makeRoundTrip } from './round-trip.js';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  const task = parseTask(process.argv.slice(2));
  if (task === undefined) process.stdout.write(USAGE);
  else {
    const addressesOf = async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address);
    await makeRoundTrip(task, { lookup: addressesOf, print });
  }
} catch (error) {
  const isUsage = error instanceof WrongUsage;
  process.stderr.write(`FAIL ${(error as Error).message}\n${isUsage ? `\n${USAGE}` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}
