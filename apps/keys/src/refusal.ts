/** How a run ends: the exit codes that a CronJob and its alerts can tell apart, and the error that carries one. */
export const EXIT = {
  done: 0,
  /** The file cannot be read, used or written. Nothing was changed. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** A rule of rotation forbids it now. Nothing was changed. */
  refused: 3,
  /** Another run changes the same file. Nothing was changed. */
  busy: 4,
} as const;

/** Says in one line, without key material, why nothing was changed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    message: string,
    readonly exitCode: number = EXIT.refused,
  ) {
    super(message);
  }
}
