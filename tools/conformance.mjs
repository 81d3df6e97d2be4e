// npm run conformance: the official MCP suite against the gateway.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run conformance [-- standalone | one-router | round-robin | authorization-on] [-- --json]

Starts the gateway with the suite's fixture tools and runs the official conformance suite against it: standalone, one
router, a round robin over two routers and two workers, and the round robin with access tokens, or one of them.

  --json   print {"runs":[{"name","specVersion","success","failure","warning"}]} as the last line

Ends with 1 when a check failed.
`,
});
await runTypeScript('e2e/conformance/run.ts');
