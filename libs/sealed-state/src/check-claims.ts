/**
 * Whether opened claims fit the retry that brought them: time first, then every binding, each with a reason of its own
 * for log and metric. Outside all reasons look the same. Trusts the claims to be authentic.
 */
import type { Reason } from '@roundhouse/errors';
import { isSameDigest } from './claim-digests.js';
import type { FlowClaims } from './flow-claims.js';

/** Longest life of a whole flow unless configured otherwise, in milliseconds: one hour. */
export const FLOW_LIFE_MS_DEFAULT = 3_600_000;

/** The retry, as the router sees it now. */
export interface ExpectedClaims {
  readonly nowMs: number;
  /** How far the clocks of two replicas may be apart, in milliseconds; widens both ends of every life. */
  readonly skewMs: number;
  readonly flowLifeMs?: number;
  readonly method: string;
  readonly target: string;
  /** From `argumentsDigest`. */
  readonly argumentsDigest: string;
  /** `principalDigest` of the caller with the given salt. */
  readonly principal: (salt: string) => string;
  /** Absent: the route is not compared, because the claims decide it. */
  readonly group?: string | undefined;
}

/** Undefined when all fits, or the first thing that does not. A time that is not a number never fits. */
export function checkClaims(claims: FlowClaims, expected: ExpectedClaims): Reason | undefined {
  return checkTimes(claims, expected) ?? checkBindings(claims, expected);
}

function checkTimes(claims: FlowClaims, expected: ExpectedClaims): Reason | undefined {
  const { nowMs, skewMs, flowLifeMs = FLOW_LIFE_MS_DEFAULT } = expected;
  // Written as "not in time" rather than "too late": every comparison with NaN is false, and must refuse.
  if (!(nowMs < claims.expiresAtMs + skewMs)) return 'state_expired';
  if (!(claims.issuedAtMs <= nowMs + skewMs)) return 'state_from_the_future';
  if (!(nowMs < claims.flowStartedAtMs + flowLifeMs + skewMs)) return 'state_flow_expired';
  return undefined;
}

function checkBindings(claims: FlowClaims, expected: ExpectedClaims): Reason | undefined {
  if (claims.method !== expected.method) return 'state_other_method';
  if (claims.target !== expected.target) return 'state_other_target';
  if (!isSameDigest(claims.argumentsDigest, expected.argumentsDigest)) return 'state_other_arguments';
  if (!isSameDigest(claims.principal, expected.principal(claims.flowId))) return 'state_other_principal';
  if (expected.group !== undefined && claims.group !== expected.group) return 'state_other_route';
  return undefined;
}
