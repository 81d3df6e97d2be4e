/**
 * Judges a history against what single use promises (TST-1). Pure: knows clients' answers, the workers' own count of runs
 * and the times of faults, and nothing of how the system works inside.
 */
import type { FaultWindow, Minted, Presented, Way } from './history.js';

export interface Evidence {
  readonly minted: readonly Minted[];
  readonly presented: readonly Presented[];
  readonly faults: readonly FaultWindow[];
  /** Labels of the runs in the workers' ledger; a label that occurs twice ran twice. */
  readonly runs: readonly string[];
}

export interface Verdict {
  readonly nonces: number;
  /** Presentations that were decided on: by a result, a refusal or "outcome unknown". */
  readonly claims: number;
  /** Nonces by what is wrong with them. */
  readonly doubleExecutions: number;
  readonly secondAnswers: number;
  readonly differentBodies: number;
  readonly successesWithoutRun: number;
  readonly wrongRefusals: number;
  readonly unexplainedErrors: number;
  readonly unresolved: number;
  /** Nonces of which a client was told that their outcome is unknown. Allowed, and counted. */
  readonly unknownOutcomes: number;
  /** One sentence for each nonce and fault in it. */
  readonly violations: readonly string[];
}

/** Routers learn of a new epoch a little later than the store, and one that was halted when it wakes. */
const EPOCH_KNOWN_WITHIN_MS = 10_000;
/** A clock is set right, and read again. */
const CLOCK_READ_WITHIN_MS = 500;

interface NonceStory {
  readonly nonce: string;
  readonly minted: Minted;
  readonly presented: Presented[];
  readonly runs: number;
}

type Problem = Exclude<keyof Verdict, 'nonces' | 'claims' | 'unknownOutcomes' | 'violations'>;

export function judge(evidence: Evidence): Verdict {
  const stories = toStories(evidence);
  const counts: Record<Problem, number> = {
    doubleExecutions: 0,
    secondAnswers: 0,
    differentBodies: 0,
    successesWithoutRun: 0,
    wrongRefusals: 0,
    unexplainedErrors: 0,
    unresolved: 0,
  };
  const violations: string[] = [];
  for (const story of stories) {
    for (const [problem, sentence] of problemsOf(story, evidence.faults)) {
      counts[problem] += 1;
      violations.push(`${story.nonce}: ${sentence}`);
    }
  }
  const decided = evidence.presented.filter(({ answer }) => /^(success|refused|unknown)$/.test(answer));
  return {
    nonces: stories.length,
    claims: decided.length,
    ...counts,
    unknownOutcomes: stories.filter((story) => has(story, 'unknown')).length,
    violations,
  };
}

function toStories({ minted, presented, runs }: Evidence): NonceStory[] {
  const runsOf = new Map<string, number>();
  for (const label of runs) runsOf.set(label, (runsOf.get(label) ?? 0) + 1);
  const stories = new Map(
    minted.map((each) => {
      const { nonce } = each;
      return [nonce, { nonce, minted: each, presented: [] as Presented[], runs: runsOf.get(nonce) ?? 0 }];
    }),
  );
  for (const each of presented) stories.get(each.nonce)?.presented.push(each);
  return [...stories.values()];
}

function problemsOf(story: NonceStory, faults: readonly FaultWindow[]): [Problem, string][] {
  const problems: [Problem, string][] = [];
  const successes = story.presented.filter(({ answer }) => answer === 'success');
  const ways = new Set(successes.map(({ way }) => way));
  if (story.runs > 1) problems.push(['doubleExecutions', `ran ${story.runs} times`]);
  if (ways.size > 1) problems.push(['secondAnswers', `succeeded with ${[...ways].join(' and ')}`]);
  else if (ways.has('decline') && story.runs > 0) problems.push(['secondAnswers', 'was declined and ran']);
  for (const way of ways) {
    const bodies = new Set(successes.filter((each) => each.way === way).map(({ body }) => body));
    if (bodies.size > 1) problems.push(['differentBodies', `${bodies.size} different results for ${way}`]);
  }
  if (story.runs === 0 && (ways.has('left') || ways.has('right')))
    problems.push(['successesWithoutRun', 'has a result and never ran']);
  const failure = story.presented.find((each) => each.answer === 'failed' && !isAtWrongTime(each, faults));
  if (failure !== undefined) problems.push(['unexplainedErrors', `got ${failure.note ?? 'an error'}`]);
  const wrong = story.presented.find((each) => each.answer === 'refused' && !isExcused(each, story, faults));
  if (wrong !== undefined)
    problems.push(['wrongRefusals', `was refused by ${wrong.router} at ${wrong.endedMs} ms without a reason`]);
  if (!isResolved(story)) problems.push(['unresolved', `stays open: ${lastWords(story)}`]);
  return problems;
}

/** Another answer may have been first, or something happened after which the state cannot be honoured. */
function isExcused(refusal: Presented, story: NonceStory, faults: readonly FaultWindow[]): boolean {
  if (story.presented.some(({ way, sentMs }) => way !== refusal.way && sentMs < refusal.endedMs)) return true;
  return faults.some((each) => {
    if (each.fault === 'flushall') return hasForgotten(each, { minted: story.minted, refusal }, faults);
    return [story.minted, refusal].some((exchange) => isAtWrongTime(exchange, [each]));
  });
}

/**
 * The state is from before the store lost what it knew, or from a router that did not know that yet: one that was halted
 * meanwhile learns of it only when it goes on.
 */
function hasForgotten(
  { startedMs, endedMs }: FaultWindow,
  { minted, refusal }: { readonly minted: Minted; readonly refusal: Presented },
  faults: readonly FaultWindow[],
): boolean {
  const halts = faults.filter(({ fault, victim }) => fault === 'router-stop' && victim === minted.router);
  const halted = halts.find((halt) => halt.startedMs <= endedMs + EPOCH_KNOWN_WITHIN_MS && halt.endedMs >= startedMs);
  const knownMs = Math.max(endedMs, halted?.endedMs ?? endedMs) + EPOCH_KNOWN_WITHIN_MS;
  return startedMs <= refusal.endedMs && minted.sentMs <= knownMs;
}

/**
 * The one router whose clock is wrong makes states of another time, takes those of others for such, and may have no key
 * that seals at its time.
 */
function isAtWrongTime(exchange: Minted | Presented, faults: readonly FaultWindow[]): boolean {
  return faults.some(({ fault, victim, startedMs, endedMs }) => {
    const isThen = exchange.sentMs <= endedMs + CLOCK_READ_WITHIN_MS && exchange.endedMs >= startedMs;
    return fault === 'clock' && exchange.router === victim && isThen;
  });
}

/** A result or an honest "unknown"; or every answer that was ever given to it has been refused. */
function isResolved(story: NonceStory): boolean {
  if (story.presented.length === 0 || has(story, 'success') || has(story, 'unknown')) return true;
  const refused = new Set(story.presented.filter(({ answer }) => answer === 'refused').map(({ way }) => way));
  return waysOf(story).every((way) => refused.has(way));
}

function has({ presented }: NonceStory, wanted: Presented['answer']): boolean {
  return presented.some(({ answer }) => answer === wanted);
}

function waysOf({ presented }: NonceStory): Way[] {
  return [...new Set(presented.map(({ way }) => way))];
}

function lastWords({ presented }: NonceStory): string {
  const last = presented.at(-1);
  return `${last?.answer ?? 'nothing'}${last?.note === undefined ? '' : ` (${last.note})`}`;
}
