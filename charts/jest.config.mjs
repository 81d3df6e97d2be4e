// Checks of the chart, which npm run chart runs: they need Helm, so they are no part of npm test.
import { preset } from '../jest.preset.mjs';

export default {
  ...preset('charts'),
  testMatch: ['<rootDir>/*/tests/**/*.spec.mjs'],
  // A spec of this project renders the chart hundreds of times.
  testTimeout: 120_000,
};
