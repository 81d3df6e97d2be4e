/** What specs of a worker import: `play` for whole calls, and below it the parts to drive a call round by round. */
export {
  SpecFlow,
  SpecWorker,
  WorkerController,
  textsOf,
  toRequest,
  type Round,
  type WorkerParts,
} from './test-kit/flow-driver.js';
export { Played } from './test-kit/played.js';
export { play, type PlayOptions } from './test-kit/play.js';
export { accept, cancel, decline, rootsAt, sampled, type Script, type ScriptedAnswer } from './test-kit/script.js';
