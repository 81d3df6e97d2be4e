// npm run e2e: the whole system, told over the network by a client of the protocol.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run e2e [-- words] [-- --json]

Starts the processes on free loopback ports and plays every scenario of e2e/scenarios against them, or those whose
sentence contains the words. ROUNDHOUSE_E2E_DIST=1 runs what npm run build made.

  --json   print {"passed","failed","skipped"} as the last line

Ends with 1 when a scenario failed.
`,
});
await runTypeScript('e2e/run.ts');
