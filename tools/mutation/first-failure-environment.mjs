// A mutant is found out by one failing test, or by a spec that does not even load: the tests behind that one are passed
// over, in all files. It matters where each of them would wait for a Redis that the mutant never asks.
import { TestEnvironment } from 'jest-environment-node';

/** Set by Stryker while a mutant lives; one process tries many, one after the other. */
const MUTANT = '__STRYKER_ACTIVE_MUTANT__';
let foundOut;

// eslint-disable-next-line no-restricted-syntax -- Jest takes what it loads by name from the default export
export default class FirstFailureEnvironment extends TestEnvironment {
  #hasLoaded = false;

  handleTestEvent(event) {
    const mutant = process.env[MUTANT];
    if (event.name === 'run_start') this.#hasLoaded = true;
    if (mutant === undefined) return;
    if (event.name === 'test_done' && event.test.errors.length > 0) foundOut = mutant;
    if (event.name === 'test_start' && foundOut === mutant) event.test.mode = 'skip';
  }

  async teardown() {
    if (!this.#hasLoaded) foundOut = process.env[MUTANT];
    await super.teardown();
  }
}
