// npm run bench: what the gateway adds to a call, in requests a second and milliseconds.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run bench [-- --short] [-- --only PART] [-- --against DIR] [-- --cpu-prof DIR] [-- --json]

Starts the gateway on loopback, puts load on it and prints throughput, latency and processor time.
Numbers depend on the machine and on what else it does: compare runs of one machine only.

  --short         two rounds of one second, and only the parts that the aims need
  --only PART     bare, sdkServer, standalone, routerWorker, twoRoundFlow, toolsList200, scaling, rss, claims,
                  authorization, fairness, telemetry or legacy; may be repeated
  --against DIR   compare the router with that of another checkout, which was built; nothing else unless --only is given
  --cpu-prof DIR  the router that is measured writes its CPU profile there
  --json          print the measurements as one JSON object, as the last line
`,
});
await runTypeScript('e2e/bench/run.ts');
