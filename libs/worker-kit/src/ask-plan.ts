/**
 * The questions of one tool in an order in which each comes after those it needs. Checked at boot; in a call it asks as
 * much as it can in each round and hands the answers to the method.
 */
import { askedParametersOf } from './ask-parameter.js';
import { assertAskable, type Questions } from './asking.js';
import type { OpenCall } from './call.js';
import { Question } from './question.js';
import { DeclaredQuestion, type Outcome, type Resolver } from './resolver.js';

/** `input` and `call`. */
const PARAMETERS_BEFORE = 2;

type AnyResolver = Resolver<never, unknown>;
type Outcomes = Map<DeclaredQuestion, Outcome<unknown>>;

/** Which answer the method cannot do without, and how it was refused. */
export interface Refused {
  readonly key: string;
  readonly action: 'decline' | 'cancel';
}
export type Resolved = { readonly values: readonly unknown[] } | { readonly refused: Refused };

export class AskPlan {
  private constructor(
    private readonly parameters: readonly AnyResolver[],
    private readonly questions: readonly DeclaredQuestion[],
    /** Those somebody takes only the content of. */
    private readonly indispensable: ReadonlySet<DeclaredQuestion>,
  ) {}

  /** Throws for what cannot work, in words that follow the name of the tool. */
  static of(method: (...args: never[]) => unknown): AskPlan {
    const parameters = parametersOf(method);
    const questions = new Map<string, DeclaredQuestion>();
    for (const { question } of parameters) collect(question, questions, []);
    const all = [...questions.values()];
    for (const { key, body } of all) if (body instanceof Question) assertAskable({ [key]: body });
    const takers = [...parameters, ...all.flatMap(({ needs }) => Object.values(needs))];
    const indispensable = takers.filter(({ takes }) => takes === 'content').map(({ question }) => question);
    return new AskPlan(parameters, all, new Set(indispensable));
  }

  get isEmpty(): boolean {
    return this.parameters.length === 0;
  }

  /** Ends the run, as any ask does, when an answer is missing. */
  async resolve(input: never, call: OpenCall): Promise<Resolved> {
    const outcomes: Outcomes = new Map();
    let open = this.questions;
    while (open.length > 0) {
      const { questions, later } = await gather(open, outcomes, (question) =>
        bodyResult(question, { input, call, outcomes }),
      );
      const asked = Object.keys(questions).length === 0 ? {} : await call.askAll(questions);
      for (const question of open.filter(({ key }) => Object.hasOwn(asked, key)))
        outcomes.set(question, toOutcome(questions[question.key] as Question<unknown>, asked[question.key]));
      const refused = this.findRefused(outcomes);
      if (refused !== undefined) return { refused };
      open = later;
    }
    return { values: this.parameters.map((resolver) => valueFor(resolver, outcomes)) };
  }

  private findRefused(outcomes: Outcomes): Refused | undefined {
    for (const [question, { action }] of outcomes)
      if (action !== 'accept' && this.indispensable.has(question)) return { key: question.key, action };
    return undefined;
  }
}

function parametersOf(method: (...args: never[]) => unknown): AnyResolver[] {
  const asked = askedParametersOf(method);
  if ([...asked.keys()].some((place) => place < PARAMETERS_BEFORE))
    throw new TypeError('@Ask stands on a parameter after input and call');
  const count = Math.max(method.length, ...[...asked.keys()].map((place) => place + 1)) - PARAMETERS_BEFORE;
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const place = at + PARAMETERS_BEFORE;
    if (!asked.has(place)) throw new TypeError(`parameter ${place + 1} of its method has no @Ask to fill it`);
    const resolver = asked.get(place);
    assertResolver(resolver, `@Ask of parameter ${place + 1}`);
    return resolver;
  });
}

/** Depth first, so that a question comes after all it needs. */
function collect(
  question: DeclaredQuestion,
  known: Map<string, DeclaredQuestion>,
  path: readonly DeclaredQuestion[],
): void {
  const { key, needs } = question;
  if (path.includes(question)) {
    const circle = [...path.slice(path.indexOf(question)), question].map((each) => each.key);
    throw new TypeError(`its questions need each other in a circle: ${circle.join(' → ')}`);
  }
  const same = known.get(key);
  if (same === question) return;
  if (same !== undefined) throw new TypeError(`two of its questions are called "${key}"`);
  for (const [name, resolver] of Object.entries(needs)) {
    assertResolver(resolver, `question "${key}" needs "${name}", which`);
    collect(resolver.question, known, [...path, question]);
  }
  // A question of the same name may have come in below.
  if (known.has(key)) throw new TypeError(`two of its questions are called "${key}"`);
  known.set(key, question);
}

/** The types rule this out, but not two modules that import each other, where a resolver is still undefined. */
function assertResolver(resolver: unknown, where: string): asserts resolver is AnyResolver {
  const { question } = (resolver ?? {}) as Partial<AnyResolver>;
  if (!(question instanceof DeclaredQuestion)) throw new TypeError(`${where} is nothing that asking() made`);
}

/** What can be asked now, and what must wait for an answer. */
async function gather(
  open: readonly DeclaredQuestion[],
  outcomes: Outcomes,
  resultOf: (question: DeclaredQuestion) => unknown,
): Promise<{ readonly questions: Questions; readonly later: readonly DeclaredQuestion[] }> {
  const questions: Record<string, Question<unknown>> = {};
  const later: DeclaredQuestion[] = [];
  for (const question of open) {
    const isReady = Object.values(question.needs).every((needed) => outcomes.has(needed.question));
    const result = isReady ? await resultOf(question) : undefined;
    if (!isReady) later.push(question);
    else if (result instanceof Question) questions[question.key] = result;
    else outcomes.set(question, { action: 'accept', content: result });
  }
  return { questions, later };
}

interface Known {
  readonly input: never;
  readonly call: OpenCall;
  readonly outcomes: Outcomes;
}

function bodyResult({ needs, body }: DeclaredQuestion, { input, call, outcomes }: Known): unknown {
  if (body instanceof Question) return body;
  const needed = Object.entries(needs).map(([name, resolver]) => [name, valueFor(resolver, outcomes)] as const);
  return body(input, Object.fromEntries(needed) as never, call);
}

function valueFor({ question, takes }: AnyResolver, outcomes: Outcomes): unknown {
  const outcome = outcomes.get(question);
  if (takes === 'outcome') return outcome;
  return outcome?.action === 'accept' ? outcome.content : undefined;
}

function toOutcome({ ask }: Question<unknown>, answer: unknown): Outcome<unknown> {
  if (ask.method !== 'elicitation/create') return { action: 'accept', content: answer };
  const { action, content } = answer as { readonly action: Outcome<unknown>['action']; readonly content?: unknown };
  if (action !== 'accept') return { action };
  return { action, content: ask.params?.['mode'] === 'url' ? true : content };
}
