/**
 * A question is an ask of the protocol together with what its answer reads as. Here are the asks that are not forms;
 * `form.ts` has the builder for those. Whether the client can be asked is decided when the question is put.
 */
import type { Ask } from '@roundhouse/contracts';

declare const answerOf: unique symbol;

/** A class, so that it can be told from a value that stands where a question may. */
export class Question<A> {
  /** Type only: what the answer reads as. The protocol's rules decide whether one is an answer at all. */
  declare readonly [answerOf]: A;

  constructor(
    readonly ask: Ask,
    /** It was checked where it was built, as forms are; nothing in it changes after that. */
    readonly isChecked = false,
  ) {}
}

export type UrlAnswer = { readonly action: 'accept' | 'decline' | 'cancel' };

export interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly content: unknown;
}

/** `params` of `sampling/createMessage`, passed on as they are. */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly modelPreferences?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What the client's model said; the client may have changed it. */
export interface SamplingAnswer {
  readonly role: 'user' | 'assistant';
  readonly content: unknown;
  readonly model: string;
  readonly stopReason?: string;
}

/** Hints about scope, never an authorisation. */
export interface RootsAnswer {
  readonly roots: readonly { readonly uri: string; readonly name?: string }[];
}

/** Asks the user to open an address. Accept means consent to open it, not that anything there is done. */
export function url(message: string, address: string): Question<UrlAnswer> {
  return new Question({ method: 'elicitation/create', params: { mode: 'url', message, url: address } });
}

/** Asks the client's model. Deprecated by the protocol in 2026-07-28; `call.sample` says what to do without it. */
export function sample(request: SamplingRequest): Question<SamplingAnswer> {
  return new Question({ method: 'sampling/createMessage', params: { ...request } });
}

/** Asks for the client's roots. Deprecated by the protocol in 2026-07-28. */
export function roots(): Question<RootsAnswer> {
  return new Question({ method: 'roots/list' });
}
