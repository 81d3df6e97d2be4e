// Specs of the scripts start processes, which takes its time on a busy machine.
export default {
  displayName: 'tools',
  testEnvironment: 'node',
  testMatch: ['<rootDir>/**/*.spec.mjs'],
  testTimeout: 30_000,
};
