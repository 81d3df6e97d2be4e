/**
 * What is learnt of one request on its way, so that it is measured once, when it has ended. Written to by the steps that
 * learn it, read by nobody but `ExchangeMeasures`.
 */
import type { Answers } from '@roundhouse/contracts';
import type { Route } from '../catalogue/route.js';
import type { WorkerCall } from '../dispatch/worker-call.js';
import type { Exchange } from '../intake/exchange.js';
import type { Flow } from '../rounds/flow-sealer.js';

/** Every member from the start: one that comes later would cost each request another hidden class. */
export class Observed {
  /** As sent; undefined until the message was understood. */
  method: string | undefined = undefined;
  exchange: Exchange | undefined = undefined;
  route: Route | undefined = undefined;
  /** Set once a state that came was opened, or none came. */
  flow: Flow | undefined = undefined;
  /** Valid answers that came with this request. */
  answers: Answers | undefined = undefined;
  call: WorkerCall | undefined = undefined;
  /** The state that goes out with this request's asks. */
  sealed: string | undefined = undefined;
  /** What is answered is what an earlier request was. */
  isStored = false;
  /** Of a sampled span. */
  traceId: string | undefined = undefined;

  /** In `performance.now()` milliseconds. */
  constructor(readonly startedMs: number) {}
}
