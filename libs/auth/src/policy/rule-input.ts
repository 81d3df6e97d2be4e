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
const NO_ARGUMENTS: ReadonlyMap<string, unknown> = new Map();

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

/** The library takes an instance of a class as it is, and converts a plain object field by field at every evaluation. */
export class SeenTarget implements TargetFacts {
  /** So that no plain object passes for one. */
  declare private readonly isSeen: true;

  constructor(
    readonly kind: TargetFacts['kind'],
    readonly name: string,
    readonly destructive: boolean,
  ) {}
}

export class SeenPrincipal {
  readonly kind: string;
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
  readonly tenant: string;

  constructor(
    principal: Principal,
    readonly scopes: unknown,
    readonly claims: unknown,
  ) {
    const { kind, issuer = '', subject = '', clientId = '', tenant = '' } = asUser(principal);
    this.kind = kind;
    this.issuer = issuer;
    this.subject = subject;
    this.clientId = clientId;
    this.tenant = tenant;
  }
}

export interface RuleInput {
  readonly principal: SeenPrincipal;
  readonly target: SeenTarget;
  readonly args: ReadonlyMap<string, unknown>;
  readonly [name: string]: unknown;
}

interface SeenCaller extends Budget {
  readonly principal: SeenPrincipal;
}

/** A caller is one object for as long as its token is remembered, and looks the same in each of its calls. */
const seenCallers = new WeakMap<Caller, SeenCaller>();

/** @throws RangeError when there is more than a condition may look at */
export function toRuleInput(caller: Caller, target: SeenTarget, args: unknown): RuleInput {
  const { principal, values, chars } = seenCallers.get(caller) ?? seeCaller(caller);
  const seenArgs = (args ?? undefined) === undefined ? NO_ARGUMENTS : toValue(args, { values, chars }, 0);
  return { principal, target, args: seenArgs as typeof NO_ARGUMENTS };
}

/** With what is left for arguments. */
function seeCaller(caller: Caller): SeenCaller {
  const budget = { values: INPUT_VALUES_MAX, chars: INPUT_CHARS_MAX };
  const scopes = toValue([...(caller.scopes ?? [])], budget, 0);
  const claims = toValue(caller.claims, budget, 0);
  const seen = { principal: new SeenPrincipal(caller.principal, scopes, claims), ...budget };
  seenCallers.set(caller, seen);
  return seen;
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
  const keys = Object.keys(value);
  if (keys.length > COLLECTION_ENTRIES_MAX) throw tooMuch();
  const map = new Map<string, unknown>();
  for (const key of keys) {
    budget.chars -= key.length;
    map.set(key, toValue((value as Record<string, unknown>)[key], budget, depth + 1));
  }
  return map;
}

function tooMuch(): RangeError {
  return new RangeError('there is more than a condition may look at');
}
