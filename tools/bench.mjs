// npm run bench: what the gateway adds to a call, in requests a second and milliseconds.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run bench [-- --json]

Starts the gateway on loopback, puts load on it and prints throughput, latency and processor time.
Numbers depend on the machine and on what else it does: compare runs of one machine only.

  --json   print the measurements as one JSON object, as the last line
`,
});
await runTypeScript('e2e/bench/run.ts');
