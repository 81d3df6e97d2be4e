import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Answers } from '@roundhouse/contracts';
import { Ask } from './ask-parameter.js';
import { AskPlan } from './ask-plan.js';
import { Call } from './call.js';
import { boolean, form } from './form.js';
import { WORKER_LIMITS } from './limits.js';
import { asking, type Needs, type Resolver } from './resolver.js';
import { Run } from './run.js';
import { toRequest } from './test-kit/flow-driver.js';
import { accept } from './test-kit/script.js';

interface Node {
  /** Whether it is asked; otherwise its resolver gives the value. */
  readonly isAsked: boolean;
  /** Places of the nodes it needs, all before its own. */
  readonly needs: readonly number[];
}

/** Any graph without a circle, in an order in which each node comes after those it needs. */
const graphs: fc.Arbitrary<readonly Node[]> = fc
  .array(fc.record({ isAsked: fc.boolean(), seeds: fc.array(fc.nat(20), { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 9,
  })
  .map((nodes) =>
    nodes.map(({ isAsked, seeds }, at) => ({
      isAsked,
      needs: at === 0 ? [] : [...new Set(seeds.map((seed) => seed % at))],
    })),
  );

/** How many rounds pass before its answer is known. */
function depthsOf(nodes: readonly Node[]): number[] {
  const depths: number[] = [];
  for (const { isAsked, needs } of nodes)
    depths.push(Math.max(0, ...needs.map((need) => depths[need] ?? 0)) + (isAsked ? 1 : 0));
  return depths;
}

function planOf(nodes: readonly Node[], order: readonly number[]): AskPlan {
  const resolvers: Resolver<never, unknown>[] = [];
  nodes.forEach(({ isAsked, needs }, at) => {
    const needed: Needs = Object.fromEntries(
      needs.map((need) => [`n${need}`, resolvers[need] as Resolver<never, unknown>]),
    );
    resolvers.push(asking(`q${at}`, needed, () => (isAsked ? form(`Question ${at}?`, { ok: boolean() }) : at)));
  });
  const target = { method: (...given: unknown[]): unknown => given };
  order.forEach((at, place) => {
    const decorate = Ask(resolvers[at] as Resolver<never, unknown>) as (
      target: object,
      key: string,
      at: number,
    ) => void;
    decorate(target, 'method', place + 2);
  });
  return AskPlan.of(target.method);
}

/** Answers whatever is asked, one run a round, until the plan comes to its values. */
async function resolveAll(plan: AskPlan): Promise<{ readonly rounds: string[][]; readonly resolved: unknown }> {
  const rounds: string[][] = [];
  let answers: Answers = {};
  let continuation: string | undefined;
  for (;;) {
    const request = toRequest('tool', { round: rounds.length + 1, answers, ...(continuation && { continuation }) });
    const run = new Run(request, { limits: WORKER_LIMITS, open: false, send: () => undefined });
    const resolved = await plan.resolve({} as never, new Call(run)).catch(() => undefined);
    if (run.ending === undefined) return { rounds, resolved };
    if (run.ending.kind !== 'input_required') throw new Error(JSON.stringify(run.ending));
    const keys = Object.keys(run.ending.asks);
    rounds.push(keys);
    ({ continuation } = run.ending);
    answers = { ...answers, ...Object.fromEntries(keys.map((key) => [key, accept({ ok: true })])) };
  }
}

describe('any graph of questions', () => {
  it('takes as many rounds as its longest chain, asks each question once, and hands over every answer', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.func(fc.nat()), async (nodes, weightOf) => {
        const order = nodes.map((_, at) => at).sort((a, b) => weightOf(a) - weightOf(b));
        const depths = depthsOf(nodes);
        const { rounds, resolved } = await resolveAll(planOf(nodes, order));
        const asked = nodes.flatMap(({ isAsked }, at) => (isAsked ? [at] : []));
        expect(rounds.map((keys) => [...keys].sort())).toEqual(
          Array.from({ length: Math.max(...depths) }, (_, round) =>
            asked.filter((at) => depths[at] === round + 1).map((at) => `q${at}`),
          ),
        );
        expect(resolved).toEqual({ values: order.map((at) => (nodes[at]?.isAsked ? { ok: true } : at)) });
      }),
      { numRuns: 200 },
    );
  });
});

describe('a plan without questions', () => {
  it('is empty', () => {
    expect(AskPlan.of((input: unknown, call: unknown) => [input, call]).isEmpty).toBe(true);
  });
});
