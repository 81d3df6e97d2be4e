/**
 * Measures what the gateway costs. Usage: npm run bench [-- --short] [-- --only PART] [-- --cpu-prof DIR] [-- --json].
 * An aim that was missed is printed and is no failure; a measurement that cannot be trusted ends with 1.
 */
import { measureAuthorizationCost } from './authorization-cost.js';
import { measureBuildCost } from './build-cost.js';
import { measureClaimCost } from './claim-cost.js';
import { measureFairness } from './fairness.js';
import { runToEnd } from './run-to-end.js';
import { parseBenchOptions, type BenchOptions } from './options.js';
import { measureLegacyCost } from './legacy-cost.js';
import { report } from './report.js';
import { toJson, type Findings } from './results.js';
import { measureRouterMemory } from './router-memory.js';
import { measureInTurns } from './rounds.js';
import { measureScaling } from './scaling.js';
import { measureSealCost } from './run-seal-cost.js';
import { measureTelemetryCost } from './telemetry-cost.js';
import { BenchTargets } from './targets.js';
import { ensureWrk } from './wrk.js';

// Production runs what was built; so does the harness when it is told.
process.env['ROUNDHOUSE_E2E_DIST'] = '1';
// Each process that is started listens for our exit, and there are more of them than Node finds plausible.
process.setMaxListeners(256);
// What was started is killed when this process exits; a signal must therefore end it through exit.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

process.exit(await run());

async function run(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
  try {
    await ensureWrk();
    await runToEnd(process.execPath, ['tools/build.mjs']);
    const findings = await measure(options);
    process.stdout.write(`${report(findings)}\n`);
    if (options.json) process.stdout.write(`${toJson(findings)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  }
}

function readOptions(): BenchOptions | undefined {
  try {
    return parseBenchOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nnpm run bench -- --help tells the options\n`);
    return undefined;
  }
}

async function measure(options: BenchOptions): Promise<Findings> {
  const targets = new BenchTargets(options);
  try {
    const { parts } = options;
    const measured = await measureInTurns(await targets.inOrder(), options);
    const scaling = parts.has('scaling') ? await measureScaling(targets) : [];
    const memory = parts.has('rss')
      ? await measureRouterMemory((await targets.main()).router(0), options.rssCalls)
      : undefined;
    const claims = parts.has('claims') ? await measureClaimCost(targets, options) : undefined;
    const sealUs = parts.has('claims') ? await measureSealCost() : undefined;
    const authorization = parts.has('authorization') ? await measureAuthorizationCost(targets, options) : undefined;
    const fairness = parts.has('fairness') ? await measureFairness(targets, options) : undefined;
    const telemetry = parts.has('telemetry') ? await measureTelemetryCost(targets, options) : undefined;
    const legacy = parts.has('legacy') ? await measureLegacyCost(targets, options) : undefined;
    const builds =
      options.against === undefined
        ? undefined
        : await measureBuildCost(targets, { ...options, against: options.against });
    const complaints = targets.complaints();
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    const byName = new Map(measured.map((each) => [each.name, each]));
    return { parts: byName, scaling, memory, claims, sealUs, authorization, fairness, telemetry, legacy, builds };
  } finally {
    await targets.stop();
  }
}
