/**
 * Runs the official conformance suite at each revision four ways: against the standalone process, against one router,
 * against a round robin over two routers and two workers, where whatever a replica kept to itself would show, and against
 * the round robin with authorization on.
 * Usage: npm run conformance [-- --json] [-- names of runs or revisions]
 */
import { join } from 'node:path';
import { Cluster } from '../harness/cluster.js';
import { secretWatch } from '../harness/secret-watch.js';
import { Standalone } from '../harness/standalone.js';
import { OUT } from '../harness/workspace.js';
import { AuthorizedGateway } from './authorized-gateway.js';
import { runSuite, type Verdict } from './suite.js';

const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;

interface System {
  readonly url: string;
  stop(): Promise<void>;
}

const RUNS: Readonly<Record<string, (name: string) => Promise<System>>> = {
  standalone: (name) => Standalone.start({ name }),
  'one-router': async (name) => {
    const cluster = await Cluster.start({ name, routers: 1, workers: 1 });
    return { url: `http://127.0.0.1:${cluster.routers[0]?.port}/mcp`, stop: () => cluster.stop() };
  },
  'round-robin': async (name) => {
    const cluster = await Cluster.start({ name });
    return { url: cluster.front.url, stop: () => cluster.stop() };
  },
  'authorization-on': (name) => AuthorizedGateway.start(name),
};

const args = process.argv.slice(2);
const chosen = pick(Object.keys(RUNS));
const revisions = pick(REVISIONS);
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const runs = [];
for (const name of chosen) {
  for (const specVersion of revisions) {
    secretWatch.begin();
    const { success, failure, warning, problems: found, exitCode } = await run(name, specVersion);
    const problems = [...found, ...secretWatch.leaks()];
    runs.push({ name, specVersion, success, failure, warning });
    const passed = problems.length === 0 && exitCode === 0 && success > 0;
    print(
      `${passed ? 'ok  ' : 'FAIL'} ${name} ${specVersion}: ${success} success, ${failure} failure, ${warning} warning`,
    );
    for (const problem of problems) print(`     ${problem}`);
    if (!passed) process.exitCode = 1;
  }
}
if (args.includes('--json')) print(JSON.stringify({ runs }));
process.exit();

async function run(name: string, specVersion: string): Promise<Verdict> {
  try {
    const system = await RUNS[name]?.(`conformance/${name}-${specVersion}`);
    if (system === undefined) throw new Error(`there is no run called ${name}`);
    try {
      return await runSuite({
        name,
        specVersion,
        url: system.url,
        folder: join(OUT, 'conformance', `${name}-${specVersion}`, 'suite'),
      });
    } finally {
      await system.stop();
    }
  } catch (error) {
    return {
      success: 0,
      failure: 1,
      warning: 0,
      problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      exitCode: 1,
    };
  }
}

function pick<T extends string>(all: readonly T[]): readonly T[] {
  const named = all.filter((each) => args.includes(each));
  return named.length > 0 ? named : all;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
