// Small specs tell the rules one by one, large ones search for what nobody thought of: most mutants need only the former.
import { statSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

// eslint-disable-next-line no-restricted-syntax -- Jest takes what it loads by name from the default export
export default class SmallestFirst extends TestSequencer {
  sort(tests) {
    const sizes = new Map(tests.map((test) => [test, statSync(test.path).size]));
    return [...tests].sort((a, b) => sizes.get(a) - sizes.get(b));
  }
}
