/**
 * What a condition may look at, in the form in which CEL sees it. Maps instead of objects, because a client may call an
 * argument `constructor`; and refused when there is too much of it, because a condition's time grows with its input.
 */
import type { Principal } from '@roundhouse/contracts';

/** Longest list or map. */
export const COLLECTION_ENTRIES_MAX = 256;
/** Values, at any depth, that conditions look at together. */
export const INPUT_VALUES_MAX = 2_048;
/** Characters of all texts together. */
export const INPUT_CHARS_MAX = 32_768;
const INPUT_DEPTH_MAX = 16;

export interface Caller {
  readonly principal: Principal;
  /** Undefined where nobody vouches for scopes: then none is required. */
  readonly scopes: ReadonlySet<string> | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface TargetFacts {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly name: string;
  readonly destructive: boolean;
}

export interface RuleInput {
  readonly principal: Readonly<Record<string, unknown>>;
  readonly target: Readonly<Record<string, unknown>>;
  readonly args: ReadonlyMap<string, unknown>;
  readonly [name: string]: unknown;
}

/** @throws RangeError when there is more than a condition may look at */
export function toRuleInput({ principal, scopes, claims }: Caller, target: TargetFacts, args: unknown): RuleInput {
  const budget = { values: INPUT_VALUES_MAX, chars: INPUT_CHARS_MAX };
  const { kind, issuer = '', subject = '', clientId = '', tenant = '' } = asUser(principal);
  return {
    principal: {
      ...{ kind, issuer, subject, clientId, tenant },
      scopes: toValue([...(scopes ?? [])], budget, 0),
      claims: toValue(claims, budget, 0),
    },
    target: { ...target },
    args: toValue(args ?? {}, budget, 0) as ReadonlyMap<string, unknown>,
  };
}

type User = Partial<Extract<Principal, { kind: 'user' }>>;

function asUser(principal: Principal): Omit<User, 'kind'> & { kind: string } {
  return principal;
}

interface Budget {
  values: number;
  chars: number;
}

function toValue(value: unknown, budget: Budget, depth: number): unknown {
  budget.values -= 1;
  if (typeof value === 'string') budget.chars -= value.length;
  if (budget.values < 0 || budget.chars < 0 || depth > INPUT_DEPTH_MAX) throw tooMuch();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length > COLLECTION_ENTRIES_MAX) throw tooMuch();
    return value.map((one) => toValue(one, budget, depth + 1));
  }
  const entries = Object.entries(value);
  if (entries.length > COLLECTION_ENTRIES_MAX) throw tooMuch();
  return new Map(
    entries.map(([key, one]) => {
      budget.chars -= key.length;
      return [key, toValue(one, budget, depth + 1)];
    }),
  );
}

function tooMuch(): RangeError {
  return new RangeError('there is more than a condition may look at');
}
