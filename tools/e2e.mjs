// npm run e2e: the whole system, told over the network by a client of the protocol.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run e2e [-- --json]

Starts the processes on free loopback ports and plays every scenario of e2e/scenarios against them.

  --json   print {"passed","failed","skipped"} as the last line

Ends with 1 when a scenario failed.
`,
});
await runTypeScript('e2e/run.ts');
