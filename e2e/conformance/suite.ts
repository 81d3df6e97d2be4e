/**
 * One strict run of the official conformance suite: all server scenarios of a revision, and neither a failure nor a
 * warning is expected. Counts come from the suite's own checks.json files, because its console output is for people.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { within } from '../harness/until.js';

const SUITE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const OLD_NODE = fileURLToPath(new URL('./old-node.mjs', import.meta.url));
/** A run takes about five seconds; one hanging scenario takes the suite's own limit of thirty. */
const RUN_WITHIN_MS = 180_000;

export interface SuiteRun {
  readonly name: string;
  readonly specVersion: string;
  readonly url: string;
  readonly folder: string;
}

/** The members of an entry of checks.json that are read here. */
interface CheckLine {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description?: string;
  readonly errorMessage?: string;
  readonly details?: unknown;
}

export interface Verdict {
  readonly success: number;
  readonly failure: number;
  readonly warning: number;
  /** Failures and warnings in words. */
  readonly problems: readonly string[];
  /** The suite's own opinion; 0 when it has nothing to complain about. */
  readonly exitCode: number | null;
}

export async function runSuite({ name, specVersion, url, folder }: SuiteRun): Promise<Verdict> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const noneExpected = join(folder, 'expected-failures.yaml');
  writeFileSync(noneExpected, 'server: []\n');
  const options = ['--url', url, '--suite', 'all', '--spec-version', specVersion, '--expected-failures', noneExpected];
  const loader = hasGlob() ? [] : ['--import', OLD_NODE];
  const log = openSync(join(folder, 'suite.log'), 'a');
  const child = spawn(process.execPath, [...loader, SUITE, 'server', ...options, '-o', folder], {
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  try {
    const [exitCode] = (await within(once(child, 'exit'), {
      what: `conformance ${name}`,
      withinMs: RUN_WITHIN_MS,
    })) as [number | null];
    return { ...judge(folder), exitCode };
  } finally {
    child.kill('SIGKILL');
  }
}

function hasGlob(): boolean {
  return Number(process.versions.node.split('.')[0]) >= 22;
}

function judge(folder: string): Omit<Verdict, 'exitCode'> {
  const lines = readChecks(folder);
  const count = (status: CheckLine['status']): number => lines.filter(({ check }) => check.status === status).length;
  const bad = lines.filter(({ check }) => check.status === 'FAILURE' || check.status === 'WARNING');
  return {
    success: count('SUCCESS'),
    failure: count('FAILURE'),
    warning: count('WARNING'),
    problems: bad.map(toProblem),
  };
}

interface Located {
  readonly scenario: string;
  readonly check: CheckLine;
}

/** Folders are called server-<scenario>-<time of the run>. */
function readChecks(folder: string): Located[] {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => {
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as CheckLine[];
    return checks.map((check) => ({ scenario: name.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, ''), check }));
  });
}

function toProblem({ scenario, check }: Located): string {
  const { status, id, description = '', errorMessage = '', details } = check;
  return `${status} ${scenario} / ${id}: ${errorMessage || description}${details === undefined ? '' : ` ${JSON.stringify(details)}`}`;
}
