/* Each `@ts-expect-error` is a test of `npm run typecheck`: without the mistake below it, the check fails. */
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Ask } from './ask-parameter.js';
import { Call } from './call.js';
import { Tool } from './declarations.js';
import { boolean, form, integer, manyOf, oneOf, optional, rawForm, string, type Field } from './form.js';
import { roots, sample, url } from './question.js';
import { asking, outcomeOf, type Asked, type Outcome, type Resolver } from './resolver.js';

const Deploy = z.object({ service: z.string() });
type Deploy = z.output<typeof Deploy>;

const where = asking('where', ({ service }: Deploy) => form(service, { name: oneOf(['staging', 'production']) }));
const sure = asking('sure', { where }, (_: Deploy, needed) => form(needed.where.name, { ok: boolean() }));

/** Only its types count: nothing here is ever called. */
async function answers(call: Call) {
  const answer = await call.ask(
    'a',
    form('A', { count: integer(), note: optional(string()), tags: manyOf(['x', 'y']) }),
  );
  // @ts-expect-error -- without looking at the action there is no content
  void answer.content;
  if (answer.action !== 'accept') {
    // @ts-expect-error -- decline and cancel carry nothing
    void answer.content;
    return;
  }
  const { content } = answer;
  // @ts-expect-error -- the form has no such field
  void content.missing;
  // @ts-expect-error -- an integer is no text
  content.count.toUpperCase();
  // @ts-expect-error -- what may be left out may be undefined
  content.note.toUpperCase();
  // @ts-expect-error -- only the choices can be chosen
  content.tags.includes('z');
  // @ts-expect-error -- an answer is not changed
  content.count = 5;
  // @ts-expect-error -- there is no fourth outcome
  void (answer.action === 'agree');

  const { one } = await call.askAll({ one: form('One', { ok: boolean() }) });
  // @ts-expect-error -- each answer has the fields of its own form
  void (one.action === 'accept' && one.content.count);
  const opened = await call.ask('u', url('U', 'https://example.com/'));
  // @ts-expect-error -- consent to open an address brings no content
  void opened.content;
  const raw = await call.ask('r', rawForm('R', {}));
  // @ts-expect-error -- what a raw form holds is not known
  void (raw.action === 'accept' && raw.content['x'].length);
  const said = await call.sample('s', { messages: [], maxTokens: 1 });
  // @ts-expect-error -- what a model says is not known to be text
  said.content.toUpperCase();
  // @ts-expect-error -- roots are a list
  void (await call.roots()).uri;
  // @ts-expect-error -- a key comes first
  await call.ask(form('B', { ok: boolean() }));
  // @ts-expect-error -- there is no such capability
  call.can('elicitation');
}

function fields() {
  // @ts-expect-error -- forms have no pattern
  string({ pattern: '^x$' });
  // @ts-expect-error -- forms know four formats
  string({ format: 'password' });
  // @ts-expect-error -- a default is a value of its field
  integer({ default: '5' });
  // @ts-expect-error -- a default is one of the choices
  oneOf(['a', 'b'], { default: 'c' });
  // @ts-expect-error -- as is each of several
  manyOf([{ value: 'a', title: 'A' }], { default: ['A'] });
  // @ts-expect-error -- a choice has a title beside its value
  oneOf([{ value: 'a' }]);
  // @ts-expect-error -- the number of choices is bounded for several only
  oneOf(['a'], { maxItems: 1 });
  // @ts-expect-error -- a form holds fields, not schemas
  form('F', { f: { type: 'string' } });
  // @ts-expect-error -- and no form within a form
  form('F', { f: form('G', { ok: boolean() }) });
  // @ts-expect-error -- a field comes from a builder
  const made: Field<string> = { schema: { type: 'string' }, required: true };
  // @ts-expect-error -- a sample has a limit of tokens
  sample({ messages: [] });
  return [made, roots()];
}

function resolvers() {
  // @ts-expect-error -- a resolver reads only what the input has
  asking('a', ({ missing }: Deploy) => form('A', { ok: missing }));
  // @ts-expect-error -- and only the answers it needs
  asking('b', { where }, (_: Deploy, { sure: other }) => other);
  // @ts-expect-error -- of which it knows the fields
  asking('c', { where }, (_: Deploy, needed) => needed.where.region);
  // @ts-expect-error -- an outcome has to be looked at
  asking('d', { where: outcomeOf(where) }, (_: Deploy, needed) => needed.where.content);
  // @ts-expect-error -- asking is the method's
  asking('e', (_: Deploy, _needed, call) => call.ask('x', url('X', 'https://example.com/')));
  // @ts-expect-error -- as are steps
  asking('f', (_: Deploy, _needed, call) => call.step('x', () => 1));
  // @ts-expect-error -- questions need resolvers, not questions
  asking('g', { where: form('W', { ok: boolean() }) }, () => 1);
  const reads: Asked<typeof where> = { name: 'staging' };
  // @ts-expect-error -- what an answer reads as follows from its form
  const wrong: Asked<typeof where> = { name: 'nowhere' };
  return [reads, wrong];
}

class Parameters {
  @Tool({ name: 'fits', description: 'Fits', input: Deploy })
  fits(_: Deploy, _call: Call, @Ask(where) a: { readonly name: string }, @Ask(outcomeOf(sure)) b: Outcome<object>) {
    return `${a.name} ${b.action}`;
  }

  @Tool({ name: 'wrong', description: 'Wrong', input: Deploy })
  wrong(
    _: Deploy,
    _call: Call,
    // @ts-expect-error -- the answer has no such field
    @Ask(where) a: { readonly region: string },
    // @ts-expect-error -- the field has another type
    @Ask(sure) b: { readonly ok: string },
    // @ts-expect-error -- an outcome is no content
    @Ask(outcomeOf(sure)) c: { readonly ok: boolean },
    // @ts-expect-error -- content is no outcome
    @Ask(sure) d: Outcome<{ readonly ok: boolean }>,
    // @ts-expect-error -- a question is no resolver
    @Ask(form('E', { ok: boolean() })) e: { readonly ok: boolean },
  ) {
    return JSON.stringify([a, b, c, d, e]);
  }

  @Tool({ name: 'foreign', description: 'Asks about the input of another tool', input: z.object({ name: z.string() }) })
  foreign(
    _: { readonly name: string },
    _call: Call,
    // @ts-expect-error -- this input has no service
    @Ask(where) a: { readonly name: string },
    // @ts-expect-error -- nor has it what the needed question reads
    @Ask(asking('near', { where }, () => 1)) b: number,
  ) {
    return `${a.name} ${b}`;
  }

  // @ts-expect-error -- the method reads an input that the tool does not have
  @Tool({ name: 'input', description: 'Wrong input', input: z.object({ name: z.string() }) })
  input({ service }: Deploy) {
    return service;
  }

  // @ts-expect-error -- a tool returns content
  @Tool({ name: 'returns', description: 'Wrong result' })
  returns(): number {
    return 5;
  }
}

describe('mistakes that do not compile', () => {
  it('are above, where the type checker sees them', () => {
    expect([answers, fields, resolvers, Parameters]).toHaveLength(4);
    expect([where, sure] satisfies Resolver<Deploy, object>[]).toHaveLength(2);
  });
});
