/**
 * Questions that stand outside a method, so that a tool can declare them as parameters (`@Ask`). A resolver says what
 * to ask, from the arguments and from the answers to other questions, or gives the answer itself when there is nothing
 * to ask. It may run again in every round and must come to the same question each time; the question is asked once.
 */
import { assertAskKey } from './asking.js';
import type { Call } from './call.js';
import type { FormAnswer } from './form.js';
import { Question } from './question.js';

/** All three ways a question can end. */
export type Outcome<T> = FormAnswer<T>;

/** What a resolver may know of the call; asking and steps are the method's. */
export type ResolverCall = Omit<Call, 'ask' | 'askAll' | 'step' | 'sample' | 'roots'>;

/** What an accepted answer gives: a form its content, an address `true`, samples and roots themselves. */
type ContentOf<A> = A extends { readonly action: 'accept'; readonly content: infer C }
  ? C
  : A extends { readonly action: 'decline' } | { readonly action: 'cancel' }
    ? never
    : A extends { readonly action: string }
      ? true
      : A;
type ValueOf<R> = R extends Question<infer A> ? ContentOf<A> : R;

declare const flow: unique symbol;

export interface Resolver<In, V> {
  readonly question: DeclaredQuestion;
  readonly takes: 'content' | 'outcome';
  /** Type only: which input it reads and what it gives. */
  readonly [flow]: (input: In) => V;
}

/** Resolvers by the names under which their answers are wanted. */
export type Needs = Readonly<Record<string, Resolver<never, unknown>>>;
/** What a resolver gives to a parameter or to another resolver. */
export type Asked<R> = R extends Resolver<never, infer V> ? V : never;
export type AskedOf<N> = { readonly [K in keyof N]: Asked<N[K]> };
/** What all of them read together. */
type InputOf<N extends Needs> = [N[keyof N]] extends [Resolver<infer In, unknown>] ? In : never;

type Body = (input: never, needed: never, call: ResolverCall) => unknown;

export class DeclaredQuestion {
  constructor(
    readonly key: string,
    readonly needs: Needs,
    readonly body: Body | Question<unknown>,
  ) {}
}

/** A question that is always the same; what is wrong with it ends the boot. */
export function asking<A>(key: string, question: Question<A>): Resolver<unknown, ContentOf<A>>;
/** A question that depends on the arguments. */
export function asking<R, In = unknown>(
  key: string,
  resolve: (input: In, needed: Readonly<Record<string, never>>, call: ResolverCall) => R,
): Resolver<In, ValueOf<Awaited<R>>>;
/** A question that depends on other answers: it is asked in a later round than they. */
export function asking<N extends Needs, R, In = unknown>(
  key: string,
  needs: N,
  resolve: (input: In, needed: AskedOf<N>, call: ResolverCall) => R,
): Resolver<In & InputOf<N>, ValueOf<Awaited<R>>>;
export function asking(
  key: string,
  needsOrBody: Needs | Body | Question<unknown>,
  body?: Body,
): Resolver<never, unknown> {
  assertAskKey(key);
  const question =
    typeof needsOrBody === 'function' || needsOrBody instanceof Question
      ? new DeclaredQuestion(key, {}, needsOrBody)
      : new DeclaredQuestion(key, needsOrBody, body as Body);
  return toResolver(question, 'content');
}

/** The same question, for who wants to know of decline and cancel as well. Without it these two end the call. */
export function outcomeOf<In, V>({ question }: Resolver<In, V>): Resolver<In, Outcome<V>> {
  return toResolver(question, 'outcome');
}

function toResolver<In, V>(question: DeclaredQuestion, takes: 'content' | 'outcome'): Resolver<In, V> {
  return { question, takes } as Resolver<In, V>;
}
