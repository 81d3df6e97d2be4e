// npm run mutation: whether the specs of the libraries that guard a flow would notice a mistake in them.
import { ROOT } from './child.mjs';
import { scoreOf, survivorsOf } from './mutation/score.mjs';
import { LIBRARIES, SCORE_MIN, strykerOptions } from './mutation/stryker-options.mjs';
import { readArguments } from './usage.mjs';

const NAMES = Object.keys(LIBRARIES);
const usage = `
Usage: npm run mutation [-- --only LIBRARY] [-- --json]

Makes small mistakes in a library, one at a time, runs its specs against each, and prints the share of mistakes that
they noticed, and where the others are. The report with all of them lies in out/mutation/<library>/<part>/mutants.html.

  --only LIBRARY  ${NAMES.join(' or ')}; may be repeated
  --json          print {"<library>":{"score","killed","survived","timeout","noCoverage"}} as the last line

Ends with 1 when less than ${SCORE_MIN} % were noticed.
`;
const { values } = readArguments({
  options: { only: { type: 'string', multiple: true, default: NAMES }, json: { type: 'boolean', default: false } },
  usage,
});
const unknown = values.only.find((name) => !NAMES.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`--only ${unknown}: there is no such library here\n\n${usage.trim()}\n`);
  process.exit(2);
}

const { Stryker } = await import('@stryker-mutator/core');

async function measure(name) {
  const startedMs = performance.now();
  const mutants = [];
  for (const part of Object.keys(LIBRARIES[name].parts))
    mutants.push(...(await new Stryker(strykerOptions(name, part)).runMutationTest()));
  const score = scoreOf(mutants);
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  return { name, score, survivors: survivorsOf(mutants, ROOT), seconds };
}

process.chdir(ROOT);
const measured = [];
for (const name of NAMES.filter((known) => values.only.includes(known))) measured.push(await measure(name));
for (const { name, score, survivors, seconds } of measured) {
  process.stdout.write(`\n${survivors.map((line) => `${line}\n`).join('')}`);
  const { killed, timeout, survived, noCoverage } = score;
  process.stdout.write(
    `${name}: ${score.score} % (${killed} killed, ${timeout} timed out, ${survived} survived, ${noCoverage} never run) ` +
      `in ${seconds} s\n`,
  );
}
if (values.json) {
  const byMember = measured.map(({ name, score }) => [LIBRARIES[name].member, score]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(byMember))}\n`);
}
process.exitCode = measured.every(({ score }) => score.score >= SCORE_MIN) ? 0 : 1;
