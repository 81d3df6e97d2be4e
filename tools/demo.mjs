// npm run demo: one tool call that stops to ask and goes on, round by round.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run demo [-- notes_delete | bank_transfer] [-- --json]

Starts two routers and two workers, calls a tool that asks, answers each question on another replica and tells which
process served which round. At a terminal you answer; otherwise a script does.

  --json   print the outcome as one JSON object, as the last line
`,
});
await runTypeScript('e2e/demo/run.ts');
