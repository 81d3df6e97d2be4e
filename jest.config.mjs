// One worker for each core: in two processes the specs of a two-core machine take little more than half the time.
export default {
  maxWorkers: '100%',
  projects: ['<rootDir>/apps/*', '<rootDir>/libs/*', '<rootDir>/e2e', '<rootDir>/tools'],
};
