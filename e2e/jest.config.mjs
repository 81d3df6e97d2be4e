import { preset } from '../jest.preset.mjs';

// Only what judges is tested here; what runs the whole system has commands of its own.
export default { ...preset('e2e'), testMatch: ['<rootDir>/{faults,harness,images,observability}/**/*.spec.ts'] };
