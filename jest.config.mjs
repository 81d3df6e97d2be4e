export default { projects: ['<rootDir>/apps/*', '<rootDir>/libs/*', '<rootDir>/e2e', '<rootDir>/tools'] };
