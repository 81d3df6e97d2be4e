/** roundhouse-keys: rotates a keyset file. The only place that knows the process it runs in. */
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readClusterAccess } from './cluster-access.js';
import { run } from './run.js';

const { exitCode, output, problem } = await run(process.argv.slice(2), {
  clock: Date.now,
  randomBytes,
  lookup: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  cluster: () => readClusterAccess(process.env),
});
process.stdout.write(output);
process.stderr.write(problem);
process.exitCode = exitCode;
