import { lintSnippets, makeProjectGraph } from './project-graph.mjs';

const lines = (count, line) => `${line}\n`.repeat(count);
const body = (statement) => `export function run() {\n${statement}\n}\n`;
const BOUNDARIES = '@nx/enforce-module-boundaries';

/** Each: what is refused, where it stands, the text, the rule that has to fire. */
const REFUSED = [
  ['a lower layer that imports a higher one', 'libs/errors/src/x.ts', "import '@roundhouse/protocol';", BOUNDARIES],
  [
    'a wire library that imports a core library',
    'libs/protocol/src/x.ts',
    "import '@roundhouse/telemetry';",
    BOUNDARIES,
  ],
  ['a core library that imports another', 'libs/config/src/x.ts', "import '@roundhouse/replay-claim';", BOUNDARIES],
  ['a core library that imports a kit', 'libs/config/src/x.ts', "import '@roundhouse/service-kit';", BOUNDARIES],
  ['telemetry that imports a core library', 'libs/telemetry/src/x.ts', "import '@roundhouse/config';", BOUNDARIES],
  ['a kit that imports an app', 'libs/service-kit/src/x.ts', "import '@roundhouse/router';", 'no-restricted-imports'],
  ['an app that imports an app', 'apps/router/src/x.ts', "import '@roundhouse/replay';", 'no-restricted-imports'],
  [
    'a spec that imports another app',
    'apps/router/src/x.spec.ts',
    "import '@roundhouse/replay';",
    'no-restricted-imports',
  ],
  [
    'an app that imports the composition',
    'apps/router/src/x.ts',
    "import '@roundhouse/standalone';",
    'no-restricted-imports',
  ],
  ['a scenario that imports an app', 'e2e/x.ts', "import '@roundhouse/router';", 'no-restricted-imports'],
  ['a scenario that imports a library', 'e2e/x.ts', "import '@roundhouse/protocol';", BOUNDARIES],
  ['a relative import of another project', 'apps/router/src/x.ts', "import '../../replay/src/main.js';", BOUNDARIES],
  ['a worker that holds sealing keys', 'apps/tool-worker/src/x.ts', "import '@roundhouse/sealed-state';", BOUNDARIES],
  [
    'a replay service that holds sealing keys',
    'apps/replay/src/x.ts',
    "import '@roundhouse/sealed-state';",
    BOUNDARIES,
  ],
  [
    'a kit for all that holds sealing keys',
    'libs/service-kit/src/x.ts',
    "import '@roundhouse/sealed-state';",
    BOUNDARIES,
  ],
  ['a router that imports the worker kit', 'apps/router/src/x.ts', "import '@roundhouse/worker-kit';", BOUNDARIES],
  ['test code outside specs', 'apps/router/src/x.ts', "import '@roundhouse/testing';", BOUNDARIES],
  ['the framework in a wire library', 'libs/protocol/src/x.ts', "import '@nestjs/common';", BOUNDARIES],
  ['the framework in a core library', 'libs/sealed-state/src/x.ts', "import '@nestjs/core';", BOUNDARIES],
  ['the framework in telemetry', 'libs/telemetry/src/x.ts', "import '@nestjs/common/enums';", BOUNDARIES],
  [
    'Redis outside the claim',
    'apps/replay/src/x.ts',
    "import { Redis } from 'ioredis'; new Redis();",
    'no-restricted-imports',
  ],
  [
    'Redis in config.ts',
    'apps/replay/src/config.ts',
    "import { Redis } from 'ioredis'; new Redis();",
    'no-restricted-imports',
  ],
  ['Redis in a scenario', 'e2e/x.ts', "import { Redis } from 'ioredis'; new Redis();", 'no-restricted-imports'],
  ['the environment inside', 'apps/router/src/x.ts', 'export const a = process.env.A;', 'no-restricted-properties'],
  [
    'the environment, taken apart',
    'apps/router/src/x.ts',
    'export const { env } = process;',
    'no-restricted-properties',
  ],
  ['the environment, imported', 'libs/config/src/x.ts', "export { env } from 'node:process';", 'no-restricted-imports'],
  ['the console in an app', 'apps/router/src/x.ts', "console.log('x');", 'no-console'],
  ['the console in a library', 'libs/config/src/x.ts', "console.error('x');", 'no-console'],
  ['a default export', 'libs/config/src/x.ts', 'export default 1;', 'no-restricted-syntax'],
  ['a default export by name', 'libs/config/src/x.ts', 'const a = 1; export { a as default };', 'no-restricted-syntax'],
  ['a default export of a script', 'tools/x.mjs', 'export default 1;', 'no-restricted-syntax'],
  ['a wildcard export', 'libs/config/src/index.ts', "export * from './x.js';", 'no-restricted-syntax'],
  ['a wildcard export under a name', 'libs/config/src/x.ts', "export * as x from './y.js';", 'no-restricted-syntax'],
  ['a relative import without a suffix', 'libs/config/src/x.ts', "import './y';", 'no-restricted-syntax'],
  ['a relative import of a source file', 'libs/config/src/x.ts', "export { y } from './y.ts';", 'no-restricted-syntax'],
  [
    'forwardRef',
    'apps/router/src/x.ts',
    "import { forwardRef } from '@nestjs/common'; forwardRef();",
    'no-restricted-syntax',
  ],
  ['a global module', 'apps/router/src/x.ts', '@Global() export class X {}', 'no-restricted-syntax'],
  [
    'four parameters',
    'libs/config/src/x.ts',
    'export function f(a, b, c, d) { return [a, b, c, d]; }',
    'no-restricted-syntax',
  ],
  [
    'four parameters of an arrow',
    'libs/config/src/x.ts',
    'export const f = (a, b, c, d) => [a, b, c, d];',
    'no-restricted-syntax',
  ],
  [
    'four parameters of a method',
    'libs/config/src/x.ts',
    'export class X { f(a, b, c, d) { return [a, b, c, d]; } }',
    'no-restricted-syntax',
  ],
  [
    'a constructor of five',
    'apps/router/src/x.ts',
    'export class X { constructor(private a, private b, private c, private d, private e) {} }',
    'no-restricted-syntax',
  ],
  ['301 lines of code', 'libs/config/src/x.ts', lines(301, 'void 0;'), 'max-lines'],
  ['601 lines of a spec', 'libs/config/src/x.spec.ts', lines(601, 'void 0;'), 'max-lines'],
  ['a function of 61 lines', 'libs/config/src/x.ts', body(lines(59, 'void 0;').trim()), 'max-lines-per-function'],
  [
    'blocks four deep',
    'libs/config/src/x.ts',
    body('if (a) { if (a) { if (a) { if (a) { void 0; } } } }'),
    'max-depth',
  ],
  ['any', 'libs/config/src/x.ts', 'export const a: any = 1;', '@typescript-eslint/no-explicit-any'],
  ['a loose comparison', 'libs/config/src/x.ts', 'export const a = (b: unknown) => b == 1;', 'eqeqeq'],
  [
    'a needless exemption',
    'libs/config/src/x.ts',
    '// eslint-disable-next-line eqeqeq -- why\nexport const a = 1;',
    'fatal',
  ],
];

/** One text, because each text with types is a new program for the compiler. */
const TYPED_TEXT = `
async function f() {}
export function run(a: 'x' | 'y') {
  f();
  if (f()) throw 'x';
  switch (a) { case 'x': return 1; }
  return 2;
}
export async function wait() { await 1; }
`;
const REFUSED_WITH_TYPES = [
  ['a promise nobody waits for', '@typescript-eslint/no-floating-promises'],
  ['a promise as a condition', '@typescript-eslint/no-misused-promises'],
  ['a switch that leaves out a case', '@typescript-eslint/switch-exhaustiveness-check'],
  ['await of a plain value', '@typescript-eslint/await-thenable'],
  ['a thrown text', '@typescript-eslint/only-throw-error'],
];

const ALLOWED = [
  ['errors in a wire library', 'libs/protocol/src/x.ts', "import '@roundhouse/errors';"],
  ['telemetry in a core library', 'libs/sealed-state/src/x.ts', "import '@roundhouse/telemetry';"],
  ['a core library in a kit', 'libs/service-kit/src/x.ts', "import '@roundhouse/config';"],
  ['sealing keys in the router', 'apps/router/src/x.ts', "import '@roundhouse/sealed-state';"],
  [
    'every app in the composition',
    'apps/standalone/src/x.ts',
    "import '@roundhouse/router'; import '@roundhouse/replay'; import '@roundhouse/tool-worker';",
  ],
  ['an app in a spec of the composition', 'apps/standalone/src/x.spec.ts', "import '@roundhouse/router';"],
  ['the framework in a kit', 'libs/worker-kit/src/x.ts', "import '@nestjs/common';"],
  ['test code in a spec of any layer', 'libs/errors/src/x.spec.ts', "import '@roundhouse/testing';"],
  ['test code in a spec of what it is built on', 'libs/protocol/src/x.spec.ts', "import '@roundhouse/testing';"],
  ['test code in a scenario', 'e2e/x.ts', "import '@roundhouse/testing'; console.log(process.env.A);"],
  ['Redis in the claim', 'libs/replay-claim/src/x.ts', "import { Redis } from 'ioredis'; new Redis();"],
  ['Redis in a spec', 'apps/replay/src/x.spec.ts', "import { Redis } from 'ioredis'; new Redis();"],
  ['Redis in test code', 'libs/testing/src/x.ts', "import { Redis } from 'ioredis'; new Redis();"],
  ['the environment in config.ts', 'apps/router/src/config.ts', 'export const a = process.env.A;'],
  ['the environment in main.ts', 'apps/router/src/main.ts', 'export const a = process.env.A;'],
  [
    'parameters that decorators fill',
    'libs/config/src/x.ts',
    'export class X { f(a, b, @Ask(x) c, @Ask(y) d) { return [a, b, c, d]; } }',
  ],
  [
    'a constructor of four',
    'apps/router/src/x.ts',
    'export class X { constructor(private a: 1, private b: 1, private c: 1, private d: 1) {} }',
  ],
  [
    'a contract that several stores must keep, as long as a spec',
    'libs/replay-claim/src/x.contract.ts',
    lines(400, 'void 0;'),
  ],
  ['300 lines of code among comments', 'libs/config/src/x.ts', lines(300, '// why\n\nvoid 0;')],
  ['a long table of errors', 'libs/errors/src/error-table.ts', lines(400, 'void 0;')],
  ['a default export of a configuration', 'apps/router/jest.config.mjs', 'export default 1;'],
];

let reports;
let typedReport;
beforeAll(async () => {
  await makeProjectGraph();
  const cases = [...REFUSED, ...ALLOWED];
  const typed = { path: 'libs/errors/src/index.ts', text: TYPED_TEXT, typed: true };
  const [first, ...others] = await lintSnippets([typed, ...cases.map(([, path, text]) => ({ path, text }))]);
  typedReport = first;
  reports = new Map(cases.map(([what], index) => [what, others[index]]));
}, 180_000);

const rulesOf = (report) => report.map(({ rule }) => rule);

it.each(REFUSED)('refuses %s', (what, _path, _text, rule) => {
  expect(rulesOf(reports.get(what))).toContain(rule);
});

it.each(REFUSED_WITH_TYPES)('refuses %s', (_what, rule) => {
  expect(rulesOf(typedReport)).toContain(rule);
});

it.each(ALLOWED)('allows %s', (what) => {
  expect(reports.get(what)).toEqual([]);
});
