// npm run faults: what the gateway keeps when a process or a network fails under it.
import { existsSync } from 'node:fs';
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

const HARNESS = 'e2e/faults/run.ts';

const { rest } = readArguments({
  passThrough: true,
  usage: `
Usage: npm run faults [-- --json]

Kills and cuts off processes under load and checks that no call ran twice and none was lost silently.

  --json   print {"passed","failed","skipped"} as the last line
`,
});
if (existsSync(new URL(`../${HARNESS}`, import.meta.url))) {
  await runTypeScript(HARNESS);
} else {
  process.stdout.write(`No fault was tried: there is no harness at ${HARNESS} yet.\n`);
  if (rest.includes('--json')) process.stdout.write(`${JSON.stringify({ passed: 0, failed: 0, skipped: 0 })}\n`);
}
