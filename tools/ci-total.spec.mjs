import { sumUp } from './ci-total.mjs';

const jest = (fields) =>
  JSON.stringify({
    numPassedTests: 10,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    numPendingTests: 0,
    ...fields,
  });
const files = {
  'jest.json': jest(),
  'chart.log': '{"tests":5,"failed":0}\n',
  'conformance.log': 'words\n{"runs":[{"success":3,"failure":0,"warning":1},{"success":4,"failure":0,"warning":0}]}\n',
  'e2e.log': '> npm\n\n{"passed":2,"failed":0,"skipped":0}\n',
  'faults.log': '{"passed":1,"failed":0,"skipped":0}',
};
const NAMES = ['install', 'test', 'lint', 'chart', 'conformance', 'e2e', 'faults'];

function sum({ codes = {}, left = {} } = {}) {
  const all = { ...files, ...left };
  return sumUp(
    NAMES.map((name) => ({ name, code: codes[name] ?? 0 })),
    (file) => all[file],
  );
}

it('adds up tests, chart checks, conformance checks and scenarios', () => {
  expect(sum()).toMatchObject({ passed: 10 + 5 + 7 + 2 + 1, failed: 0 });
});

it('counts a step that failed and counts nothing as one failure', () => {
  expect(sum({ codes: { lint: 1, install: 1 } })).toMatchObject({ passed: 25, failed: 2 });
});

it('counts the failures that a step tells, and not the step on top', () => {
  expect(sum({ codes: { test: 1 }, left: { 'jest.json': jest({ numFailedTests: 3 }) } })).toMatchObject({ failed: 3 });
});

it('counts a test file that could not run as a failure', () => {
  expect(sum({ left: { 'jest.json': jest({ numRuntimeErrorTestSuites: 1 }) } })).toMatchObject({ failed: 1 });
});

it('counts failed conformance checks of every run', () => {
  const runs = [
    { success: 1, failure: 2 },
    { success: 1, failure: 3 },
  ];
  expect(sum({ left: { 'conformance.log': JSON.stringify({ runs }) } })).toMatchObject({ failed: 5 });
});

it('counts a step as failed that was killed although what it counted had passed', () => {
  expect(sum({ codes: { e2e: 124 } })).toMatchObject({ failed: 1 });
});

it.each([undefined, '', 'words', '{"passed":2}', '{"passed":"2","failed":0,"skipped":0}', '[]', 'null'])(
  'counts a step as failed that ended well and left %j instead of a count',
  (text) => {
    expect(sum({ left: { 'e2e.log': text } })).toMatchObject({ passed: 23, failed: 1 });
  },
);

it('tells what was skipped', () => {
  const { lines } = sum({ left: { 'e2e.log': '{"passed":2,"failed":0,"skipped":4}' } });
  expect(lines).toContain('e2e: ok (exit code 0), 4 skipped');
});
