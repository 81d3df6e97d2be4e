/**
 * Which entries of a list a caller sees: those it may call, by all that can be told before there are arguments. Worked out
 * once for a set of scopes and what the conditions say of the caller, so that a thousand callers with five sets of scopes
 * need five lists. Callers whose selection is the same object see the same list.
 */
import type { Policy, Terms } from './policy.js';
import type { RuleExpression } from './rule-expression.js';
import { toRuleInput, type Caller, type SeenTarget } from './rule-input.js';

/** Selections remembered at once; the one that was not asked for the longest goes first. */
export const SELECTIONS_MAX = 256;

/** Positions of the entries that are shown, in the order of the list. */
export type Selection = readonly number[];

interface Question {
  readonly expression: RuleExpression;
  readonly target: SeenTarget;
}

interface Entry {
  readonly terms: Terms;
  /** Positions of its conditions among the questions. */
  readonly questions: readonly number[];
}

export class Selections {
  private readonly questions: Question[] = [];
  private readonly entries: readonly Entry[];
  private readonly known = new Map<string, Selection>();
  private readonly scopeSetIds = new WeakMap<ReadonlySet<string>, number>();
  private scopeSetCount = 0;

  constructor(
    private readonly policy: Policy,
    list: readonly Terms[],
  ) {
    const asked = new Map<RuleExpression, number>();
    this.entries = list.map((terms) => ({ terms, questions: this.questionsOf(terms, asked) }));
  }

  /** `caller.scopes` are compared as objects: see `ScopeSets`. */
  of(caller: Caller): Selection {
    const answers = this.questions.map((question) => answerOf(question, caller));
    const key = `${this.idOf(caller.scopes)}:${answers.map(Number).join('')}`;
    const known = this.known.get(key);
    const selection = known ?? this.select(caller, answers);
    // A map keeps the order of insertion, so what is put back is the newest.
    this.known.delete(key);
    this.known.set(key, selection);
    if (this.known.size > SELECTIONS_MAX) this.known.delete(this.known.keys().next().value as string);
    return selection;
  }

  private select(caller: Caller, answers: readonly boolean[]): Selection {
    return this.entries.flatMap(({ terms, questions }, at) =>
      this.policy.admits(terms, caller) && questions.every((question) => answers[question] === true) ? [at] : [],
    );
  }

  /** One question for all entries where the answer cannot differ between them. */
  private questionsOf({ target, conditions }: Terms, asked: Map<RuleExpression, number>): readonly number[] {
    return conditions.flatMap(({ expression }) => {
      if (expression.dependsOnArguments) return [];
      const known = asked.get(expression);
      if (known !== undefined) return [known];
      const at = this.questions.push({ expression, target }) - 1;
      if (!expression.dependsOnTarget) asked.set(expression, at);
      return [at];
    });
  }

  private idOf(scopes: ReadonlySet<string> | undefined): number {
    if (scopes === undefined) return 0;
    const known = this.scopeSetIds.get(scopes);
    if (known !== undefined) return known;
    this.scopeSetCount += 1;
    this.scopeSetIds.set(scopes, this.scopeSetCount);
    return this.scopeSetCount;
  }
}

/** What cannot be answered is not shown. */
function answerOf({ expression, target }: Question, caller: Caller): boolean {
  try {
    return expression.holds(toRuleInput(caller, target, undefined));
  } catch {
    return false;
  }
}
