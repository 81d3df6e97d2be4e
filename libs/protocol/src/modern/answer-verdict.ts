/** The outcomes of checking an answer. */

export type AnswerVerdict =
  | {
      readonly status: 'accepted' | 'declined' | 'cancelled';
      /** The bare result object for the worker. */
      readonly answer: Record<string, unknown>;
      readonly reason?: undefined;
    }
  | {
      readonly status: 'invalid';
      /** For the log: names the rule, never the value. */
      readonly reason: string;
      readonly answer?: undefined;
    };

export function invalid(reason: string): AnswerVerdict {
  return { status: 'invalid', reason };
}
