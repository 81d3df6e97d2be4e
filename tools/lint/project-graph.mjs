// Module boundaries are checked against Nx's project graph, and skipped without an error where there is none. So the
// graph is made first, and a deliberate violation has to be reported before a clean result means anything.
import { runNode, tool } from '../child.mjs';

/** An errors library that imports the layer above it. */
const VIOLATION = { path: 'libs/errors/src/index.ts', text: "export { PATTERN } from '@roundhouse/contracts';\n" };

/** @throws Error when Nx cannot list the projects */
export async function makeProjectGraph() {
  const { code, output } = await runNode([tool('nx/dist/bin/nx.js'), 'show', 'projects'], { stdio: 'pipe' });
  if (code !== 0 || !output.includes('@roundhouse/errors')) throw new Error(`nx cannot list the projects:\n${output}`);
}

/** @returns {Promise<{ rule: string, message: string }[][]>} the problems of each snippet */
export async function lintSnippets(snippets) {
  const input = JSON.stringify(snippets);
  const { code, output } = await runNode(['tools/lint/snippet.mjs'], { stdio: ['pipe', 'pipe', 'inherit'], input });
  if (code !== 0) throw new Error(`the snippets cannot be linted:\n${output}`);
  return JSON.parse(output.trim().split('\n').at(-1));
}

/** @throws Error when the rule is not at work */
export async function assertBoundariesAreChecked() {
  const [problems] = await lintSnippets([VIOLATION]);
  if (!problems.some(({ rule }) => rule === '@nx/enforce-module-boundaries')) {
    throw new Error('a deliberate violation of the module boundaries was not reported');
  }
}
