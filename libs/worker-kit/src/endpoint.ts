/**
 * What every kind of method shares: run it, and turn whatever it does into one reply. How the run was settled to end
 * wins over what the method returned or threw.
 */
import { Logger } from '@nestjs/common';
import type { CallReply } from '@roundhouse/contracts';
import { failed, type Run } from './run.js';

export interface Endpoint {
  readonly answers: 'sealed' | 'open';
  /** Never throws, never rejects; synchronous when the method is. */
  invoke(run: Run): CallReply | Promise<CallReply>;
}

export interface Attempt<R> {
  /** For the log: which method. */
  readonly name: string;
  readonly method: () => R | Promise<R>;
  readonly encode: (returned: R) => CallReply;
  /** A reply for an error that is part of the method's contract; undefined for any other. */
  readonly refuse: (thrown: unknown) => CallReply | undefined;
  readonly fail: () => CallReply;
}

const logger = new Logger('WorkerKit');

export function attempt<R>(run: Run, parts: Attempt<R>): CallReply | Promise<CallReply> {
  try {
    const returned = parts.method();
    if (!isPromise(returned)) return settleReturn(run, parts, returned);
    return returned.then(
      (value) => settleReturn(run, parts, value),
      (thrown: unknown) => settleThrow(run, parts, thrown),
    );
  } catch (thrown) {
    return settleThrow(run, parts, thrown);
  }
}

function settleReturn<R>(run: Run, parts: Attempt<R>, returned: R): CallReply {
  if (run.ending !== undefined) {
    logger.warn(`${parts.name} went on after its run had ended: a catch around ask or step swallowed it`);
    return endingOf(run, parts);
  }
  try {
    return parts.encode(returned);
  } catch (thrown) {
    return settleThrow(run, parts, thrown);
  }
}

function settleThrow<R>(run: Run, parts: Attempt<R>, thrown: unknown): CallReply {
  if (run.ending !== undefined) return endingOf(run, parts);
  const refused = parts.refuse(thrown);
  if (refused !== undefined) return refused;
  if (!run.cancelled) logger.error(`${parts.name} threw`, thrown instanceof Error ? thrown.stack : undefined);
  return parts.fail();
}

function endingOf<R>(run: Run, parts: Attempt<R>): CallReply {
  const ending = run.ending ?? failed('The run ended without a reply');
  if (ending.kind === 'error') logger.warn(`${parts.name} ended with ${ending.code}: ${ending.message}`);
  return ending;
}

function isPromise<R>(value: R | Promise<R>): value is Promise<R> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
