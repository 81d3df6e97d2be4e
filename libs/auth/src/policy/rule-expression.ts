/**
 * A condition in CEL over the caller, the target and the arguments: compiled and type-checked when it is loaded, refused
 * there when it could take long. It has no clock and no loop of its own, so a limit on its size and on the size of what it
 * looks at is a limit on its steps. Whatever goes wrong while it runs is an error, never an answer.
 */
import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { COLLECTION_ENTRIES_MAX, SeenPrincipal, SeenTarget, type RuleInput } from './rule-input.js';

export const EXPRESSION_CHARS_MAX = 2_048;
/** Nodes outside of quantifiers count once, those inside as often as the longest list has entries. */
export const EXPRESSION_STEPS_MAX = 16_384;

const LIMITS = { maxAstNodes: 256, maxDepth: 24, maxListElements: 64, maxMapEntries: 16, maxCallArguments: 4 };
/** Walk over a list; one inside another would multiply. */
const QUANTIFIERS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one']);
/** Left out on purpose: `matches`, whose patterns can take for ever here, and whatever builds lists, texts or dates. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...QUANTIFIERS,
  ...['has', 'size', 'startsWith', 'endsWith', 'contains', 'lowerAscii', 'string', 'int', 'double', 'type', 'dyn'],
]);

const environment = new Environment({ limits: LIMITS })
  .registerType('Principal', {
    ctor: SeenPrincipal,
    fields: {
      kind: 'string',
      issuer: 'string',
      subject: 'string',
      clientId: 'string',
      tenant: 'string',
      scopes: 'list<string>',
      claims: 'map<string, dyn>',
    },
  })
  .registerType('Target', { ctor: SeenTarget, fields: { kind: 'string', name: 'string', destructive: 'bool' } })
  .registerVariable('principal', 'Principal')
  .registerVariable('target', 'Target')
  .registerVariable('args', 'map<string, dyn>');

export class RuleExpression {
  private constructor(
    private readonly run: (input: RuleInput) => unknown,
    /** Of `principal`, `target` and `args`, what the answer depends on. */
    private readonly names: ReadonlySet<string>,
  ) {}

  /** Cannot be answered before a call is made. */
  get dependsOnArguments(): boolean {
    return this.names.has('args');
  }

  /** May be answered differently for each target. */
  get dependsOnTarget(): boolean {
    return this.names.has('target');
  }

  /** The expression, or why it is refused, in words that quote nothing of it. */
  static compile(text: string): RuleExpression | string {
    if (text.length > EXPRESSION_CHARS_MAX) return `must have at most ${EXPRESSION_CHARS_MAX} characters`;
    try {
      const parsed = environment.parse(text);
      // Before the check, which rewrites quantifiers.
      const survey = surveyOf(parsed.ast);
      const problem = problemOf(survey);
      if (problem !== undefined) return problem;
      const { valid, type, error } = parsed.check();
      if (!valid) return `is not valid CEL: ${describe(error)}`;
      if (type !== 'bool') return `must be a condition, and is of type ${type}`;
      return new RuleExpression((input) => parsed(input), survey.names);
    } catch (error) {
      return `is not valid CEL: ${describe(error)}`;
    }
  }

  /** @throws whatever the expression fails with, or a TypeError when it ends with something else than true or false */
  holds(input: RuleInput): boolean {
    const answer = this.run(input);
    if (typeof answer !== 'boolean') throw new TypeError('the condition ended with something else than true or false');
    return answer;
  }
}

interface Survey {
  readonly names: Set<string>;
  readonly functions: Set<string>;
  steps: number;
  nested: boolean;
}

function problemOf({ functions, steps, nested }: Survey): string | undefined {
  const unknown = [...functions].find((name) => !FUNCTIONS.has(name));
  if (unknown !== undefined) return `may not use ${/^\w{1,32}$/.test(unknown) ? unknown : 'that'}()`;
  if (nested) return 'may not have a quantifier inside a quantifier';
  return steps > EXPRESSION_STEPS_MAX ? 'is too large: put less inside all() and exists()' : undefined;
}

function surveyOf(root: ASTNode): Survey {
  const survey: Survey = { names: new Set(), functions: new Set(), steps: 0, nested: false };
  const visit = (part: unknown, isRepeated: boolean): void => {
    if (Array.isArray(part)) for (const one of part) visit(one, isRepeated);
    if (!isNode(part)) return;
    survey.steps += isRepeated ? COLLECTION_ENTRIES_MAX : 1;
    if (part.op === 'id') survey.names.add(part.args);
    if (part.op !== 'call' && part.op !== 'rcall') return visit(part.args, isRepeated);
    const [name, ...operands] = part.args;
    survey.functions.add(name);
    const isQuantifier = part.op === 'rcall' && QUANTIFIERS.has(name);
    if (isQuantifier && isRepeated) survey.nested = true;
    // The receiver of a quantifier is evaluated once, its predicate for each entry.
    if (isQuantifier) visit(operands[0], isRepeated);
    visit(isQuantifier ? operands.slice(1) : operands, isRepeated || isQuantifier);
  };
  visit(root, false);
  return survey;
}

function isNode(part: unknown): part is ASTNode {
  return typeof part === 'object' && part !== null && 'op' in part && 'args' in part;
}

/** The library's short form; its message would quote the expression, and with it whatever stands there by mistake. */
function describe(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code.replaceAll('_', ' ') : 'it cannot be read';
}
