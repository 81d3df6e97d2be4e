// npm run lint: ESLint with types and module boundaries, names, import cycles, generated pages, layout.
import { assertBoundariesAreChecked, makeProjectGraph } from './lint/project-graph.mjs';
import { ROOT, runNode, tool } from './child.mjs';
import { findCycles } from './lint/cycles.mjs';
import { findNameProblems } from './lint/names.mjs';
import { listFiles, readSources } from './lint/workspace-files.mjs';
import { readArguments } from './usage.mjs';

const { values } = readArguments({
  options: { fix: { type: 'boolean', default: false } },
  usage: `
Usage: npm run lint [-- --fix]

Checks the workspace: ESLint (types, module boundaries, sizes), names and opening comments, import cycles,
generated pages of docs/, layout by prettier.

  --fix   repair what can be repaired: ESLint's fixes, generated pages, layout
`,
});

// One ESLint process with one TypeScript program: a process a project, as Nx would run it, takes several times as long.
async function runEslint() {
  const args = [tool('eslint/bin/eslint.js'), '.', '--max-warnings', '0', ...(values.fix ? ['--fix'] : [])];
  const { code, output } = await runNode(args, { stdio: 'pipe' });
  const wasBlind = output.includes('No cached ProjectGraph');
  return { name: 'eslint', passed: code === 0 && !wasBlind, output };
}

async function runProgram(name, args) {
  const { code, output } = await runNode(args, { stdio: 'pipe' });
  return { name, passed: code === 0, output };
}

function report(name, problems) {
  return { name, passed: problems.length === 0, output: problems.join('\n') };
}

async function runOthers() {
  await assertBoundariesAreChecked();
  const paths = listFiles(ROOT);
  const sources = readSources(ROOT, paths);
  return [
    report('boundaries', []),
    report('names', findNameProblems(paths, sources)),
    report('cycles', findCycles(sources)),
    await runProgram('docs', ['tools/generate-docs.mjs', ...(values.fix ? [] : ['--check'])]),
    await runProgram('prettier', [
      tool('prettier/bin/prettier.cjs'),
      values.fix ? '--write' : '--check',
      '--log-level',
      'warn',
      '.',
    ]),
  ];
}

await makeProjectGraph();
// Fixes must not write the same file at once.
const results = values.fix
  ? [await runEslint(), ...(await runOthers())]
  : (await Promise.all([runEslint(), runOthers()])).flat();
for (const { name, passed, output } of results) {
  process.stdout.write(`${passed ? 'ok  ' : 'FAIL'} ${name}\n`);
  if (!passed) process.stdout.write(`${output.trim()}\n\n`);
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
