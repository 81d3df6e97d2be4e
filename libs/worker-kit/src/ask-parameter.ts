/**
 * `@Ask(resolver)` on a parameter of a tool's method. TypeScript holds the parameter against what the resolver gives,
 * and the tool's input against what the resolver reads; the rest is checked when the module boots.
 */
import 'reflect-metadata';
import type { Resolver } from './resolver.js';

type Parameters = ReadonlyMap<number, Resolver<never, unknown>>;

/** The place itself when the resolver fits there, otherwise something no place can be. */
type Fitting<M, I extends number, R> =
  R extends Resolver<infer In, infer V>
    ? M extends (...args: infer P) => unknown
      ? P[0] extends In
        ? V extends P[I]
          ? I
          : I & { readonly mistake: 'the parameter does not take what this question gives' }
        : I & { readonly mistake: 'the question reads another input than this tool has' }
      : never
    : never;

const PARAMETERS = 'roundhouse:asked-parameters';

/**
 * The answer to a question, asked before the body runs: an accepted one only, so a decline or cancel ends the call with
 * a plain result that says so. `@Ask(outcomeOf(resolver))` takes all three.
 */
export function Ask<R extends Resolver<never, unknown>>(
  resolver: R,
): <T, K extends keyof T, I extends number>(target: T, key: K, place: I & Fitting<T[K], I, R>) => void {
  return (target, key, place) => {
    const method = target[key] as object;
    Reflect.defineMetadata(PARAMETERS, new Map([...askedParametersOf(method), [place, resolver]]), method);
  };
}

/** By the place of the parameter. */
export function askedParametersOf(method: object): Parameters {
  return (Reflect.getOwnMetadata(PARAMETERS, method) as Parameters | undefined) ?? new Map();
}
