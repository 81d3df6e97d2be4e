/**
 * What a tool author throws on purpose. The message of a `ToolFailure` is written for the caller; every other error
 * reaches the caller only as a generic sentence.
 */

/** Ends the call with a result that has `isError: true` and this message as its text. */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure';
}

/** Thrown by a resource whose URI is well-formed but names nothing: the caller gets "resource not found". */
export class ResourceMissing extends Error {
  override readonly name = 'ResourceMissing';

  constructor() {
    super('Resource not found');
  }
}

/**
 * Stands for whatever a step's function threw, in the run that threw it and in every later run of the flow, so that a
 * `catch` around the step sees the same class each time. `cause` is there only in the first.
 */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';

  constructor(step: string, cause?: unknown) {
    super(`Step "${step}" failed`, cause === undefined ? undefined : { cause });
  }
}
