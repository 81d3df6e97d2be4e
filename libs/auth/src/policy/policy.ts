/**
 * Who may call what. Every rule that is about a target has to be met, so a rule can only take away; the one thing a rule
 * gives is a tool that says it destroys, which nobody may call without. A decision is made before anything is forwarded,
 * in every round, and again before a stored result is given out.
 */
import { anyMatcher, type NameMatcher } from './name-pattern.js';
import type { PolicySettings, RuleSettings } from './policy-settings.js';
import { RuleExpression } from './rule-expression.js';
import { SeenTarget, toRuleInput, type Caller, type TargetFacts } from './rule-input.js';
import { ScopeHierarchy } from './scope-hierarchy.js';

export interface PolicyTarget extends TargetFacts {
  /** What its worker demands. */
  readonly requiredScopes: readonly string[];
  /** Further names by which rules may know it: the template of a resource. */
  readonly aliases?: readonly string[];
}

/** Everything that is asked of a caller of one target; worked out once, not for each call. */
export interface Terms {
  readonly target: SeenTarget;
  readonly scopes: readonly string[];
  readonly conditions: readonly Condition[];
  /** Nobody may, whatever their scopes. */
  readonly closed: 'policy_destructive' | 'policy_no_rule' | undefined;
}

export interface Condition {
  readonly rule: string;
  readonly expression: RuleExpression;
}

export type Verdict =
  | { readonly outcome: 'allowed' }
  /** `scopes` are all that the operation needs, those that the caller has included (OAU-3). */
  | { readonly outcome: 'scope_missing'; readonly scopes: readonly string[] }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason; readonly rule: string | undefined };

export type RefusalReason = 'policy_destructive' | 'policy_no_rule' | 'policy_condition' | 'policy_condition_failed';

const ALLOWED: Verdict = { outcome: 'allowed' };

interface Rule {
  readonly settings: RuleSettings;
  readonly expression: RuleExpression | undefined;
  readonly isAbout: Readonly<Record<TargetFacts['kind'], NameMatcher>>;
}

export class Policy {
  private readonly rules: readonly Rule[];
  private readonly hierarchy: ScopeHierarchy;

  constructor(private readonly settings: PolicySettings) {
    this.hierarchy = new ScopeHierarchy(settings.implies);
    this.rules = settings.rules.map((rule) => ({
      settings: rule,
      expression: rule.when === undefined ? undefined : compiled(rule.when),
      isAbout: {
        tool: anyMatcher(rule.tools),
        prompt: anyMatcher(rule.prompts),
        resource: anyMatcher(rule.resources),
      },
    }));
  }

  termsOf({ kind, name, destructive, requiredScopes, aliases = [] }: PolicyTarget): Terms {
    const names = [name, ...aliases];
    const rules = this.rules.filter(({ isAbout }) => names.some((one) => isAbout[kind](one)));
    const scopes = new Set([...requiredScopes, ...rules.flatMap(({ settings }) => settings.scopes)]);
    const granted = rules.some(({ settings }) => settings.grantsDestructive);
    const unruled = rules.length === 0 && this.settings.unmatched === 'deny';
    return {
      target: new SeenTarget(kind, name, destructive),
      scopes: [...scopes],
      conditions: rules.flatMap(({ settings, expression }) =>
        expression === undefined ? [] : [{ rule: settings.name, expression }],
      ),
      closed: destructive && !granted ? 'policy_destructive' : unruled ? 'policy_no_rule' : undefined,
    };
  }

  /** `args` are the call's own, untrusted; they are looked at only when a condition needs any. */
  judge(terms: Terms, caller: Caller, args: unknown): Verdict {
    const { closed, scopes, conditions } = terms;
    if (closed !== undefined) return { outcome: 'refused', reason: closed, rule: undefined };
    if (!this.hasScopes(caller, scopes)) return { outcome: 'scope_missing', scopes };
    if (conditions.length === 0) return ALLOWED;
    return judgeConditions(terms, caller, args);
  }

  /** Whether the caller's scopes could do, as far as that can be told without asking a condition. */
  admits({ closed, scopes }: Terms, caller: Caller): boolean {
    return closed === undefined && this.hasScopes(caller, scopes);
  }

  private hasScopes({ scopes }: Caller, needed: readonly string[]): boolean {
    return scopes === undefined || this.hierarchy.covers(scopes, needed);
  }
}

function judgeConditions({ conditions, target }: Terms, caller: Caller, args: unknown): Verdict {
  let rule: string | undefined;
  try {
    const input = toRuleInput(caller, target, args);
    for (const condition of conditions) {
      rule = condition.rule;
      if (!condition.expression.holds(input)) return { outcome: 'refused', reason: 'policy_condition', rule };
    }
    return ALLOWED;
  } catch {
    // Its message may quote arguments. A condition that cannot be answered is not met.
    return { outcome: 'refused', reason: 'policy_condition_failed', rule };
  }
}

/** The settings were read by their schema, which refuses what does not compile. */
function compiled(text: string): RuleExpression {
  const expression = RuleExpression.compile(text);
  if (typeof expression === 'string') throw new TypeError(`a condition ${expression}`);
  return expression;
}
