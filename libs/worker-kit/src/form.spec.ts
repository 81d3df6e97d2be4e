import { describe, expect, it } from '@jest/globals';
import { checkAsk } from '@roundhouse/protocol';
import { boolean, form, integer, manyOf, number, oneOf, optional, string, type FormAnswer } from './form.js';
import type { Question } from './question.js';

const rules = { allowInsecureUrls: false };
const schemaOf = (question: Question<unknown>) => question.ask.params?.['requestedSchema'];

/** Type only: what the content of an answer reads as. */
type ContentOf<Q> = Q extends Question<FormAnswer<infer C>> ? C : never;

describe('a form', () => {
  const everything = form('Everything?', {
    text: string({ title: 'Text', minLength: 1, maxLength: 9, default: 'x' }),
    email: string({ format: 'email' }),
    score: number({ minimum: 0, maximum: 1, default: 0.5 }),
    age: integer({ minimum: 0 }),
    sure: boolean({ default: true }),
    color: oneOf(['red', 'blue'], { default: 'red' }),
    note: oneOf([{ value: 'a', title: 'Note A' }, 'b'], { title: 'Note' }),
    tags: manyOf(['x', 'y'], { minItems: 1, maxItems: 2, default: ['x'] }),
    titled: manyOf([{ value: 'x', title: 'X' }]),
    maybe: optional(string()),
  });

  it('has exactly the schema that the protocol permits', () => {
    expect(schemaOf(everything)).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', title: 'Text', minLength: 1, maxLength: 9, default: 'x' },
        email: { type: 'string', format: 'email' },
        score: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
        age: { type: 'integer', minimum: 0 },
        sure: { type: 'boolean', default: true },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        note: {
          type: 'string',
          title: 'Note',
          oneOf: [
            { const: 'a', title: 'Note A' },
            { const: 'b', title: 'b' },
          ],
        },
        tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, minItems: 1, maxItems: 2, default: ['x'] },
        titled: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
        maybe: { type: 'string' },
      },
      required: ['text', 'email', 'score', 'age', 'sure', 'color', 'note', 'tags', 'titled'],
    });
    expect(checkAsk(everything.ask, rules)).toBeUndefined();
  });

  it('types its content by its fields', () => {
    const content: ContentOf<typeof everything> = {
      text: 'x',
      email: 'a@b.example',
      score: 1,
      age: 1,
      sure: true,
      color: 'blue',
      note: 'b',
      tags: ['y'],
      titled: ['x'],
      maybe: undefined,
    };
    // @ts-expect-error -- a select has only the values it offers
    const wrong: ContentOf<typeof everything>['color'] = 'green';
    expect([content.color, wrong]).toEqual(['blue', 'green']);
  });

  it('has no list of required fields when all may be left out', () => {
    expect(schemaOf(form('Maybe?', { a: optional(boolean()) }))).toEqual({
      type: 'object',
      properties: { a: { type: 'boolean' } },
    });
  });

  it.each([
    ['oneOf', () => oneOf([])],
    ['manyOf', () => manyOf([])],
  ])('refuses %s without choices', (_, make) => {
    expect(make).toThrow('at least one choice');
  });
});
