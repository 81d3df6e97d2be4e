// How Stryker changes each library, and which specs have to notice.
import { fileURLToPath } from 'node:url';

/** Below this share of noticed mutants, in percent, the run fails. */
export const SCORE_MIN = 80;

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));

const STORE_IN_REDIS = ['redis-claim-store', 'claim-scripts', 'redis-connection', 'replicated-claims', 'store-safety'];

/**
 * By the name that --only takes: the parts of a library, each with its files and the specs that are run for them. What
 * needs no Redis is judged without, for a spec that starts a server takes a hundred times as long.
 * Left out are the ten thousand stories of the claim machine and the failovers of real servers. They take half a minute
 * each, for every mutant; what they alone would notice counts as not noticed.
 */
export const LIBRARIES = {
  'sealed-state': { member: 'sealedState', parts: { all: { files: ['*'], specs: ['*.spec.ts'] } } },
  'replay-claim': {
    member: 'replayClaim',
    parts: {
      rules: {
        files: ['*', ...STORE_IN_REDIS.map((file) => `!${file}`)],
        specs: ['*.spec.ts', '!*.redis.spec.ts', '!claim-machine.property.spec.ts'],
      },
      redis: {
        files: STORE_IN_REDIS,
        specs: STORE_IN_REDIS.flatMap((file) => [`${file}.spec.ts`, `${file}.redis.spec.ts`]),
      },
    },
  },
};

/** @returns {object} options of Stryker for this part of this library */
export function strykerOptions(name, part) {
  const { files, specs } = LIBRARIES[name].parts[part];
  const within = (folder) => (file) => file.replace(/^!?/, (not) => `${not}${folder}/`);
  const out = `out/mutation/${name}/${part}`;
  return {
    packageManager: 'npm',
    mutate: [...files.map((file) => `${file}.ts`), '!*.spec.ts', '!*.contract.ts', '!index.ts'].map(
      within(`libs/${name}/src`),
    ),
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
    jest: {
      projectType: 'custom',
      configFile: `libs/${name}/jest.config.mjs`,
      config: {
        testEnvironment: pathOf('first-failure-environment.mjs'),
        testSequencer: pathOf('smallest-first.mjs'),
        // Not from <rootDir>: Jest does not know it behind an exclamation mark.
        testMatch: specs.map(within('**/src')),
      },
    },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    // Jest keeps the modules of every run it makes in one process.
    maxTestRunnerReuse: 100,
    // Only this library is copied; it finds the others through node_modules, as they are.
    ignorePatterns: ['**', `!libs/${name}/**`, '!jest.preset.mjs', '!.swcrc', '!package.json', '!tsconfig*.json'],
    disableTypeChecks: false,
    tempDirName: `${out}/sandbox`,
    cleanTempDir: 'always',
    reporters: ['progress-append-only', 'json', 'html'],
    jsonReporter: { fileName: `${out}/mutants.json` },
    htmlReporter: { fileName: `${out}/mutants.html` },
    allowConsoleColors: false,
    // A pattern may name what a library does not have, and constants are worth their time.
    warnings: { unknownOptions: true, preprocessorErrors: true, unserializableOptions: true, slow: false },
  };
}
