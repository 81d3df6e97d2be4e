import { describe, expect, it } from '@jest/globals';
import { checkAsk } from '@roundhouse/protocol';
import {
  boolean,
  form,
  integer,
  manyOf,
  number,
  oneOf,
  optional,
  rawForm,
  string,
  type Field,
  type FormAnswer,
} from './form.js';
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

const A_AND_B = [
  { value: 'a', title: 'Note A' },
  { value: 'b', title: 'Note B' },
] as const;

describe('a field is refused where it is built with', () => {
  it.each<[string, () => Field<unknown>, string]>([
    ['a default that is too short', () => string({ minLength: 2, default: 'x' }), 'shorter than minLength'],
    ['a default that is too long', () => string({ maxLength: 1, default: 'xy' }), 'longer than maxLength'],
    ['a default that is no e-mail address', () => string({ format: 'email', default: 'nobody' }), 'no email'],
    ['a default that is no URI', () => string({ format: 'uri', default: 'no scheme' }), 'no uri'],
    ['a default that is no date', () => string({ format: 'date', default: '2026-02-30' }), 'no date'],
    ['a default that is no time', () => string({ format: 'date-time', default: '2026-02-03' }), 'no date-time'],
    ['lengths that nothing can meet', () => string({ minLength: 3, maxLength: 2 }), 'nothing can meet'],
    ['a length that is no count', () => string({ maxLength: -1 }), 'not a count'],
    ['a default below its minimum', () => number({ minimum: 1, default: 0.5 }), 'less than minimum'],
    ['a default above its maximum', () => integer({ maximum: 1, default: 2 }), 'more than maximum'],
    ['a default with a fraction', () => integer({ default: 1.5 }), 'an integer'],
    ['a minimum above its maximum', () => number({ minimum: 2, maximum: 1 }), 'minimum above its maximum'],
    ['a bound that is no number', () => number({ minimum: Number.NaN }), 'not a number'],
    ['a default that is not a choice', () => oneOf(['a', 'b'], { default: 'c' as 'a' }), 'one of the options'],
    ['a title as its default', () => oneOf(A_AND_B, { default: 'Note A' as 'a' }), 'one of the options'],
    ['one choice twice', () => oneOf(['a', 'b', 'a']), 'option twice'],
    ['one titled choice twice', () => oneOf([...A_AND_B, { value: 'a', title: 'Again' }]), 'option twice'],
    ['one choice of many twice', () => manyOf([...A_AND_B, 'b']), 'option twice'],
    ['defaults that are not choices', () => manyOf(['a'], { default: ['b' as 'a'] }), 'only options'],
    ['a default twice', () => manyOf(['a', 'b'], { default: ['a', 'a'] }), 'option twice'],
    ['fewer defaults than needed', () => manyOf(['a', 'b'], { minItems: 2, default: ['a'] }), 'fewer than minItems'],
    [
      'more defaults than allowed',
      () => manyOf(['a', 'b'], { maxItems: 1, default: ['a', 'b'] }),
      'more than maxItems',
    ],
    ['more items than choices', () => manyOf(['a'], { minItems: 2 }), 'nothing can meet'],
    ['fewer items at most than at least', () => manyOf(['a', 'b'], { minItems: 2, maxItems: 1 }), 'nothing can meet'],
    ['a title that asks for a secret', () => string({ title: 'Your API key' }), 'use url mode'],
    ['a description that asks for a secret', () => string({ description: 'Enter your PIN' }), 'use url mode'],
  ])('%s', (_, build, reason) => {
    expect(build).toThrow(reason);
  });

  it.each([
    ['pattern', { pattern: '^x$' }],
    ['another type', { type: 'object' }],
    ['a default of the wrong type', { default: 5 }],
    ['an unknown format', { format: 'password' }],
  ])('%s, which only a cast gets past the types', (_, options) => {
    expect(() => string(options as Parameters<typeof string>[0])).toThrow('The form field');
  });
});

describe('a form is refused where it is built with', () => {
  it.each([
    'password',
    'newPassword',
    'pass-phrase',
    'API_KEY',
    'accessToken',
    'client_secret',
    'cardNumber',
    'cvv',
    'PIN',
    'otp_code',
    'ssn',
    'privateKey',
  ])('a field named %s', (name) => {
    expect(() => form('Please', { [name]: string() })).toThrow(
      `field "${name}" asks for a secret, which no form may: use`,
    );
  });

  it.each([
    ['a name without characters', { '': string() }],
    ['a name without end', { ['n'.repeat(129)]: string() }],
    ['too many fields', Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`f${at}`, boolean()]))],
    ['a field that no builder made', { f: { schema: { type: 'object' }, required: true } as unknown as Field<string> }],
  ])('%s', (_, fields) => {
    expect(() => form('Please', fields)).toThrow('The form cannot be sent');
  });

  it('nothing to read', () => {
    expect(() => form(' ', { ok: boolean() })).toThrow('without a message');
  });
});

describe('a form may', () => {
  it('let people choose about secrets, since nothing is typed there', () => {
    expect(() => form('Rotate?', { password: boolean(), token: oneOf(['keep', 'rotate']) })).not.toThrow();
  });

  it('be given as a schema, which is checked only when it is asked', () => {
    expect(() => rawForm('Please', { type: 'object', properties: { password: { type: 'string' } } })).not.toThrow();
  });
});
