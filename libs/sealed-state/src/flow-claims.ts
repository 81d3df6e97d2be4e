/**
 * What a flow remembers between two rounds, inside the seal, and how it becomes text. Nothing here is secret by itself:
 * `StateSealer` hides it and vouches for it. Whether the claims fit the retry is for `check-claims.ts`.
 */

/** The claims' own version, raised when an older router must not open newer claims. */
const CLAIMS_VERSION = 1;
/** 128 random bits as base64url. */
const RANDOM_ID = /^[\w-]{22}$/;
/** SHA-256 as base64url. */
const DIGEST = /^[\w-]{43}$/;
/** Trace id 16 bytes, span id 8, flags 1 (OBS-6), as base64url. */
const TRACE_CONTEXT = /^[\w-]{34}$/;
const ASK_METHODS = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;

type JsonObject = Readonly<Record<string, unknown>>;

export interface SealedAsk {
  readonly method: (typeof ASK_METHODS)[number];
  readonly params?: Record<string, unknown> | undefined;
}

/** Of the round before, and of the first round of the flow. */
export interface Earlier<T> {
  readonly previous: T;
  readonly origin: T;
}

export interface FlowClaims {
  readonly v: 1;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** 16 random bytes, base64url; what a single-use claim is made on. */
  readonly nonce: string;
  /** 16 random bytes, base64url; the same in all rounds of the flow, and the salt of `principal`. */
  readonly flowId: string;
  readonly flowStartedAtMs: number;
  /** Number of the round that these answers start: 2 for the first retry. */
  readonly round: number;
  readonly method: string;
  /** Public tool or prompt name, or resource URI. */
  readonly target: string;
  /** From `argumentsDigest`. */
  readonly argumentsDigest: string;
  /** From `principalDigest`, salted with `flowId`. */
  readonly principal: string;
  /** Route: id of the worker group or upstream. */
  readonly group: string;
  readonly catalogueHash: string;
  /** What was asked, by key; answers are checked against nothing else. */
  readonly asks: Readonly<Record<string, SealedAsk>>;
  /** The worker's own, handed back byte for byte. */
  readonly continuation: string;
  /** Answers of earlier rounds, by key. */
  readonly answers: Readonly<Record<string, JsonObject>>;
  /** `host:port` of the one endpoint that must get the next round. */
  readonly owner?: string | undefined;
  readonly singleUse: boolean;
  /**
   * Single use only: the epoch of the bucket in which each of the two claims on this state will be made (REP-5). A store
   * that has forgotten what was spent has other ones.
   */
  readonly epochs?: { readonly answer: string; readonly cancel: string } | undefined;
  /** These claims are too large to travel: the whole of them is held at the replay service under this handle (KEY-13). */
  readonly handle?: string | undefined;
  readonly trace?: Earlier<string> | undefined;
  readonly rpcIds?: Partial<Earlier<string | number>> | undefined;
}

/** Claims as JSON text with short member names, since every byte crosses the wire twice. */
export function encodeClaims(claims: FlowClaims): string {
  return JSON.stringify({
    v: claims.v,
    i: claims.issuedAtMs,
    e: claims.expiresAtMs,
    n: claims.nonce,
    f: claims.flowId,
    s: claims.flowStartedAtMs,
    r: claims.round,
    m: claims.method,
    t: claims.target,
    a: claims.argumentsDigest,
    p: claims.principal,
    g: claims.group,
    h: claims.catalogueHash,
    q: claims.asks,
    c: claims.continuation,
    w: claims.answers,
    o: claims.owner,
    u: claims.singleUse,
    ea: claims.epochs?.answer,
    ec: claims.epochs?.cancel,
    hd: claims.handle,
    tp: claims.trace?.previous,
    to: claims.trace?.origin,
    ip: claims.rpcIds?.previous,
    io: claims.rpcIds?.origin,
  });
}

/**
 * The claims, or undefined when the text has not exactly their shape. Unknown members are passed over, so that a
 * replica of the release before still opens states of the release after; what must not be passed over raises `v`.
 * A key such as `__proto__` in `asks` or `answers` stays an ordinary own property: copy those maps with care.
 */
export function decodeClaims(text: string): FlowClaims | undefined {
  const wire = parseObject(text);
  if (wire === undefined || wire['v'] !== CLAIMS_VERSION) return undefined;
  const claims = {
    v: wire['v'],
    issuedAtMs: wire['i'],
    expiresAtMs: wire['e'],
    nonce: wire['n'],
    flowId: wire['f'],
    flowStartedAtMs: wire['s'],
    round: wire['r'],
    method: wire['m'],
    target: wire['t'],
    argumentsDigest: wire['a'],
    principal: wire['p'],
    group: wire['g'],
    catalogueHash: wire['h'],
    asks: wire['q'],
    continuation: wire['c'],
    answers: wire['w'],
    owner: wire['o'],
    singleUse: wire['u'],
    epochs: epochsOf(wire['ea'], wire['ec']),
    handle: wire['hd'],
    trace: earlier(wire['tp'], wire['to']),
    rpcIds: earlier(wire['ip'], wire['io']),
  };
  return isClaims(claims) ? claims : undefined;
}

function isClaims(claims: { readonly [member in keyof FlowClaims]: unknown }): claims is FlowClaims {
  return (
    isCount(claims.issuedAtMs) &&
    isCount(claims.expiresAtMs) &&
    isCount(claims.flowStartedAtMs) &&
    isCount(claims.round) &&
    claims.round >= 2 &&
    isMatch(RANDOM_ID, claims.nonce) &&
    isMatch(RANDOM_ID, claims.flowId) &&
    isMatch(DIGEST, claims.argumentsDigest) &&
    isMatch(DIGEST, claims.principal) &&
    typeof claims.method === 'string' &&
    typeof claims.target === 'string' &&
    typeof claims.group === 'string' &&
    typeof claims.catalogueHash === 'string' &&
    typeof claims.continuation === 'string' &&
    typeof claims.singleUse === 'boolean' &&
    (claims.owner === undefined || typeof claims.owner === 'string') &&
    isMapOf(claims.asks, isAsk) &&
    isMapOf(claims.answers, isObject) &&
    (claims.handle === undefined || isMatch(RANDOM_ID, claims.handle)) &&
    isEpochs(claims.epochs) &&
    isTrace(claims.trace) &&
    isRpcIds(claims.rpcIds)
  );
}

function earlier(previous: unknown, origin: unknown): Partial<Earlier<unknown>> | undefined {
  return previous === undefined && origin === undefined ? undefined : { previous, origin };
}

function epochsOf(answer: unknown, cancel: unknown): unknown {
  return answer === undefined && cancel === undefined ? undefined : { answer, cancel };
}

function isEpochs(value: unknown): boolean {
  if (value === undefined) return true;
  return isObject(value) && isMatch(RANDOM_ID, value['answer']) && isMatch(RANDOM_ID, value['cancel']);
}

function isTrace(value: unknown): boolean {
  if (value === undefined) return true;
  return isObject(value) && isMatch(TRACE_CONTEXT, value['previous']) && isMatch(TRACE_CONTEXT, value['origin']);
}

function isRpcIds(value: unknown): boolean {
  if (value === undefined) return true;
  return isObject(value) && isOptionalRpcId(value['previous']) && isOptionalRpcId(value['origin']);
}

function isOptionalRpcId(value: unknown): boolean {
  return value === undefined || typeof value === 'string' || typeof value === 'number';
}

function isAsk(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isKnown = ASK_METHODS.some((method) => method === value['method']);
  return isKnown && (value['params'] === undefined || isObject(value['params']));
}

function isMapOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return isObject(value) && Object.values(value).every(isEntry);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isMatch(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
