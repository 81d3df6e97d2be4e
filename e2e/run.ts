/**
 * Plays every scenario of e2e/scenarios against the running system and counts. Usage: npm run e2e [-- words] [-- --json]
 * runs those whose sentence contains the words.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROMISES } from './faults/promises.js';
import type { ScenarioGroup } from './harness/scenario.js';
import { REQUIREMENTS, type RequirementId } from './requirements.js';

const SCENARIOS = new URL('./scenarios/', import.meta.url);

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const filter = args.filter((arg) => !arg.startsWith('--')).join(' ');
const count = { passed: 0, failed: 0, skipped: 0, notPresent: 0 };

// What was started is killed when this process exits; a signal must therefore end it through exit.
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const report = {
  passed(sentence: string, tookMs: number): void {
    count.passed += 1;
    print(`ok   ${sentence} (${Math.round(tookMs)} ms)`);
  },
  failed(sentence: string, error: unknown): void {
    count.failed += 1;
    print(`FAIL ${sentence}\n${indent(error instanceof Error ? describe(error) : String(error))}`);
  },
  notChosen(scenarios: number): void {
    count.skipped += scenarios;
  },
  notPresent(sentence: string, why: string): void {
    count.skipped += 1;
    count.notPresent += 1;
    print(`skip ${sentence}: not run, ${why}`);
  },
};

const groups = await loadGroups();
reportUncited(groups);
for (const group of groups) await group.run(filter, report);
const { passed, failed, skipped, notPresent } = count;
print(
  `${passed} passed, ${failed} failed, ${skipped - notPresent} not chosen, ${notPresent} not run for want of something`,
);
if (isJson) print(JSON.stringify({ passed, failed, skipped }));
process.exit(failed === 0 && passed > 0 ? 0 : 1);

async function loadGroups(): Promise<ScenarioGroup[]> {
  const files = readdirSync(fileURLToPath(SCENARIOS)).filter((file) => file.endsWith('.ts'));
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, SCENARIOS).href) as Promise<{ scenarios?: ScenarioGroup }>),
  );
  return modules.map(({ scenarios }, at) => {
    if (scenarios === undefined) throw new Error(`${files[at]} exports no scenarios`);
    return scenarios;
  });
}

/** A requirement that no scenario and no fault run cites is a promise nobody keeps. */
function reportUncited(loaded: readonly ScenarioGroup[]): void {
  const cited = new Set([...loaded, ...PROMISES].flatMap(({ cites }) => cites));
  const uncited = (Object.keys(REQUIREMENTS) as RequirementId[]).filter((id) => !cited.has(id));
  const sentence = 'every requirement is cited by a scenario or a fault run';
  if (uncited.length === 0) report.passed(sentence, 0);
  else report.failed(sentence, new Error(`not cited: ${uncited.join(', ')}`));
}

function describe(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${describe(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '     ');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
