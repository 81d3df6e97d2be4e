// What a machine can check of the house style. Names of files and their opening comments: tools/lint/names.mjs;
// import cycles inside a project: tools/lint/cycles.mjs; layout: prettier.
import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { moduleBoundaries } from './tools/lint/boundaries.mjs';
import { restrictedEnvironment, restrictedImports, restrictedSyntax } from './tools/lint/syntax.mjs';

const TYPESCRIPT = ['apps/**/*.ts', 'libs/**/*.ts', 'e2e/**/*.ts'];
/** A contract is a spec that several implementations run. */
const SPECS = ['**/*.spec.ts', '**/*.contract.ts'];
const SCRIPTS = ['tools/**/*.mjs', 'apps/**/*.mjs', 'libs/**/*.mjs', 'e2e/**/*.mjs', '*.mjs'];
const TABLES = [
  'libs/errors/src/error-table.ts',
  'libs/errors/src/reasons.ts',
  'libs/telemetry/src/metrics/metric-table.ts',
  'e2e/requirements.ts',
];

const NODE_GLOBALS = ['process', 'console', 'Buffer', 'URL', 'AbortSignal', 'AbortController', 'fetch', 'performance'];
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'structuredClone'];
const JEST_GLOBALS = ['describe', 'it', 'expect', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach'];
const readonly = (names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

const sizes = {
  'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  'max-depth': ['error', 3],
};

const typed = {
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  // Its fix turns an injected class into a type, and Nest then injects nothing.
  '@typescript-eslint/consistent-type-imports': 'off',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
};

const boundaries = (options) => ({ '@nx/enforce-module-boundaries': ['error', moduleBoundaries(options)] });

export default tseslint.config(
  { ignores: ['**/dist/', '**/out/', '**/coverage/', '.nx/', '.roundhouse/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { files: [...TYPESCRIPT, ...SCRIPTS], extends: [js.configs.recommended], rules: { eqeqeq: 'error', ...sizes } },
  {
    files: TYPESCRIPT,
    extends: [tseslint.configs.recommended],
    plugins: { '@nx': nx },
    // One program for the whole workspace: a project service would build one for each project, at twice the time.
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...typed,
      ...boundaries(),
      'no-restricted-syntax': restrictedSyntax(),
      'no-restricted-imports': restrictedImports(),
      'no-restricted-properties': restrictedEnvironment,
      'no-console': 'error',
    },
  },
  {
    files: ['**/config.ts', '**/main.ts'],
    rules: { 'no-restricted-imports': restrictedImports({ environment: true }), 'no-restricted-properties': 'off' },
  },
  { files: ['libs/replay-claim/**/*.ts'], rules: { 'no-restricted-imports': restrictedImports({ redis: true }) } },
  {
    files: ['libs/testing/**/*.ts'],
    rules: {
      'no-restricted-imports': restrictedImports({ redis: true, environment: true }),
      'no-restricted-properties': 'off',
    },
  },
  {
    files: ['e2e/**/*.ts'],
    rules: {
      'no-restricted-imports': restrictedImports({ environment: true }),
      'no-restricted-properties': 'off',
      'no-console': 'off',
    },
  },
  { files: TABLES, rules: { 'max-lines': 'off', 'no-restricted-syntax': restrictedSyntax({ parameters: false }) } },
  {
    files: SPECS,
    rules: {
      ...boundaries({ testing: true }),
      'no-restricted-imports': restrictedImports({ redis: true, environment: true }),
      'no-restricted-properties': 'off',
    },
  },
  {
    files: ['apps/standalone/**/*.ts'],
    rules: {
      ...boundaries({ apps: ['@roundhouse/router', '@roundhouse/replay', '@roundhouse/tool-worker'] }),
      'no-restricted-imports': restrictedImports({ apps: true, environment: true }),
    },
  },
  {
    files: SCRIPTS,
    languageOptions: { globals: readonly([...NODE_GLOBALS, ...TIMERS]) },
    rules: { 'no-restricted-syntax': restrictedSyntax(), 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
  },
  {
    files: [...SPECS, '**/*.spec.mjs'],
    rules: {
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': 'off',
      'no-loss-of-precision': 'off',
      'no-restricted-syntax': restrictedSyntax({ parameters: false }),
    },
  },
  { files: ['**/*.spec.mjs'], languageOptions: { globals: readonly(JEST_GLOBALS) } },
  { files: ['**/*.config.mjs'], rules: { 'no-restricted-syntax': 'off' } },
);
