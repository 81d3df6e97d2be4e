export default { displayName: 'tools', testEnvironment: 'node', testMatch: ['<rootDir>/**/*.spec.mjs'] };
