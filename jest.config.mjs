export default { projects: ['<rootDir>/apps/*', '<rootDir>/libs/*', '<rootDir>/tools'] };
