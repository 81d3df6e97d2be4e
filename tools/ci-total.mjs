// Adds up what the steps of .ci/run left behind. A step that failed counts as one failure at least, and a step that
// should have counted something but did not is a failure, whatever its exit code.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const fromJest = ({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests }) => ({
  passed: numPassedTests,
  failed: numFailedTests + numRuntimeErrorTestSuites,
  skipped: numPendingTests,
});
const fromScenarios = ({ passed, failed, skipped }) => ({ passed, failed, skipped });
const fromChart = ({ tests, failed }) => ({ passed: tests - failed, failed, skipped: 0 });
const fromConformance = ({ runs }) => ({
  passed: runs.reduce((sum, { success }) => sum + success, 0),
  failed: runs.reduce((sum, { failure }) => sum + failure, 0),
  skipped: 0,
});

/** Steps that count, where their result lies, and how to read it. */
const COUNTING = {
  test: ['jest.json', fromJest],
  test24: ['jest24.json', fromJest],
  chart: ['chart.log', fromChart],
  conformance: ['conformance.log', fromConformance],
  e2e: ['e2e.log', fromScenarios],
  faults: ['faults.log', fromScenarios],
};

/**
 * @param {{ name: string, code: number }[]} steps
 * @param {(file: string) => string | undefined} read the text a step left behind
 * @returns {{ passed: number, failed: number, lines: string[] }}
 */
export function sumUp(steps, read) {
  const counted = steps.map((step) => ({ ...step, ...countOf(step, read) }));
  const total = (key) => counted.reduce((sum, step) => sum + step[key], 0);
  return { passed: total('passed'), failed: total('failed'), lines: counted.flatMap(toLine) };
}

function countOf({ name, code }, read) {
  const atLeast = code === 0 ? 0 : 1;
  if (!Object.hasOwn(COUNTING, name)) return { passed: 0, failed: atLeast, skipped: 0 };
  const [file, toCount] = COUNTING[name];
  const count = readCount(read(file), toCount);
  if (count === undefined) return { passed: 0, failed: 1, skipped: 0, note: 'left no count' };
  return { ...count, failed: Math.max(count.failed, atLeast) };
}

function readCount(text = '', toCount) {
  try {
    const count = toCount(JSON.parse(text.trim().split('\n').at(-1)));
    return Object.values(count).every(Number.isInteger) ? count : undefined;
  } catch {
    return undefined;
  }
}

function toLine({ name, code, passed, failed, skipped, note }) {
  if (failed === 0 && skipped === 0 && passed > 0) return [`${name}: all ${passed} pass`];
  if (failed === 0 && skipped === 0) return [`${name}: ok`];
  const why = note === undefined ? '' : `, ${note}`;
  return [`${name}: ${failed === 0 ? 'ok' : 'FAILED'} (exit code ${code}${why}), ${skipped} skipped`];
}

function main(folder) {
  const read = (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : undefined);
  const steps = (read('steps') ?? '').split('\n').filter((line) => line !== '');
  const { passed, failed, lines } = sumUp(steps.map(toStep), read);
  process.stdout.write([...lines, `${passed} passed, ${failed} failed`, ''].join('\n'));
  // Nothing that passed means nothing that ran.
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

function toStep(line) {
  const [name, code] = line.split(' ');
  return { name, code: Number(code) };
}

if (process.argv[1] === new URL(import.meta.url).pathname) main(process.argv[2]);
