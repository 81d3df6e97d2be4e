// npm run demo: one tool call that stops to ask and goes on, round by round.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run demo [-- --json]

Starts the gateway, calls a tool that asks a question, answers it on another replica and shows every message.

  --json   print the outcome as one JSON object, as the last line
`,
});
await runTypeScript('e2e/demo/run.ts');
