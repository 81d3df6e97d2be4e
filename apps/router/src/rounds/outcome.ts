/** How a round ended, in the form in which it is stored and given out again: a result's text or an error's public parts. */
import { RoundhouseError, type ErrorCode } from '@roundhouse/errors';

export type Outcome = { readonly result: string } | { readonly error: RoundhouseError };

interface StoredOutcome {
  /** Reference to the span that ran it, for the link of a re-fetch (OBS-8). */
  readonly t?: string;
  readonly r?: string;
  readonly e?: { readonly code: ErrorCode; readonly detail?: string; readonly data?: unknown };
}

export function encodeOutcome(outcome: Outcome, traceRef: string | undefined): string {
  const stored: StoredOutcome =
    'result' in outcome
      ? { t: traceRef, r: outcome.result }
      : { t: traceRef, e: { code: outcome.error.code, detail: outcome.error.detail, data: outcome.error.data } };
  return JSON.stringify(stored);
}

export function decodeOutcome(text: string): { readonly outcome: Outcome; readonly traceRef: string | undefined } {
  const { t, r, e } = JSON.parse(text) as StoredOutcome;
  const outcome: Outcome =
    r !== undefined
      ? { result: r }
      : { error: new RoundhouseError(e?.code ?? 'internal', { detail: e?.detail, data: e?.data }) };
  return { outcome, traceRef: t };
}
