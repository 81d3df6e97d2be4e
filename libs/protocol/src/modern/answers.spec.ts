import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ANSWER_TEXT_CHARS_MAX,
  DISPLAY_NAME_CHARS_MAX,
  ROOTS_MAX,
  SAMPLING_BLOCKS_MAX,
  SAMPLING_CHARS_MAX,
} from '../limits.js';
import { checkAnswer } from './answers.js';

const properties = {
  text: { type: 'string', minLength: 2, maxLength: 3 },
  mail: { type: 'string', format: 'email' },
  amount: { type: 'number', minimum: 0.5, maximum: 2 },
  count: { type: 'integer', minimum: 1, maximum: 3 },
  sure: { type: 'boolean' },
  pick: { type: 'string', enum: ['a', 'b'] },
  titled: { type: 'string', oneOf: [{ const: 'x', title: 'The X' }] },
  many: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
  manyTitled: { type: 'array', items: { anyOf: [{ const: 'x', title: 'The X' }] } },
};
const form = (required: string[] = [], fields: unknown = properties) => ({
  method: 'elicitation/create',
  params: { message: 'm', requestedSchema: { type: 'object', properties: fields, required } },
});
const url = { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'https://example.com' } };
const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
const roots = { method: 'roots/list' };
const accept = (content: unknown, required?: string[]) => checkAnswer(form(required), { action: 'accept', content });

describe('checkAnswer', () => {
  it.each([undefined, null, 5, 'accept', true, [], [{ action: 'accept' }]])(
    'calls %j invalid for whatever was asked [B25]',
    (answer) => {
      for (const ask of [form(), url, sampling, roots]) {
        expect(checkAnswer(ask, answer)).toEqual({ status: 'invalid', reason: 'answer is not an object' });
      }
    },
  );

  it('calls an answer to an unknown method invalid', () => {
    expect(checkAnswer({ method: 'tools/call' }, {})).toEqual({
      status: 'invalid',
      reason: 'nothing of this kind was asked',
    });
  });
});

describe('an answer to a form', () => {
  it('is accepted with content that fits every field', () => {
    const content = {
      text: 'abc',
      mail: 'a@b',
      amount: 0.5,
      count: 3,
      sure: false,
      pick: 'b',
      titled: 'x',
      many: ['c', 'a'],
      manyTitled: [],
    };
    expect(accept(content, Object.keys(properties))).toEqual({
      status: 'accepted',
      answer: { action: 'accept', content },
    });
  });

  it('may leave out what is not required', () => {
    expect(accept({})).toEqual({ status: 'accepted', answer: { action: 'accept', content: {} } });
  });

  it.each(['decline', 'cancel'])('keeps %s apart from the others and drops its content', (action) => {
    const status = action === 'decline' ? 'declined' : 'cancelled';
    for (const answer of [{ action }, { action, content: { text: 'abc' } }, { action, content: 5, _meta: {} }]) {
      expect(checkAnswer(form(['text']), answer)).toEqual({ status, answer: { action } });
      expect(checkAnswer(url, answer)).toEqual({ status, answer: { action } });
    }
  });

  it.each([undefined, null, '', 'ACCEPT', 'accepted', 'reject', true, 1, ['accept']])(
    'is invalid with the action %j',
    (action) => {
      const verdict = { status: 'invalid', reason: 'action is not accept, decline or cancel' };
      expect(checkAnswer(form(), { action, content: {} })).toEqual(verdict);
      expect(checkAnswer(url, { action })).toEqual(verdict);
    },
  );

  it('is invalid inside the wrapper that an older client would put around it', () => {
    expect(
      checkAnswer(form(), { method: 'elicitation/create', result: { action: 'accept', content: {} } }).status,
    ).toBe('invalid');
  });

  it.each([undefined, null, 'x', 5, true, [], [{}]])(
    'is invalid when it accepts with the content %j [B25]',
    (content) => {
      expect(accept(content)).toEqual({ status: 'invalid', reason: 'accept without content' });
    },
  );

  it.each(['text', 'sure', 'many'])('is invalid without the required field %s', (name) => {
    expect(accept({ pick: 'a' }, ['pick', name])).toEqual({ status: 'invalid', reason: `field "${name}" is required` });
  });

  it.each(['other', 'Text', 'constructor', 'toString', ''])(
    'is invalid with the field %j that was not asked for [B66]',
    (name) => {
      expect(accept({ [name]: 'abc' })).toEqual({
        status: 'invalid',
        reason: 'content has a field that was not asked for',
      });
    },
  );

  it('takes __proto__ for a field like any other, asked for or not [B66]', () => {
    const content = JSON.parse('{"__proto__":{"text":"abc"}}') as unknown;
    expect(accept(content)).toEqual({ status: 'invalid', reason: 'content has a field that was not asked for' });
    expect(accept(content, ['text'])).toEqual({ status: 'invalid', reason: 'field "text" is required' });
    const fields = JSON.parse('{"__proto__":{"type":"string"}}') as unknown;
    const verdict = checkAnswer(form(['__proto__'], fields), {
      action: 'accept',
      content: JSON.parse('{"__proto__":"x"}') as unknown,
    });
    expect(JSON.stringify(verdict.answer)).toBe('{"action":"accept","content":{"__proto__":"x"}}');
    expect(checkAnswer(form(['__proto__'], fields), { action: 'accept', content: {} }).reason).toBe(
      'field "__proto__" is required',
    );
  });

  it.each([
    ['text', 'a', 'is shorter than minLength'],
    ['text', 'abcd', 'is longer than maxLength'],
    ['text', '🙂', 'is shorter than minLength'],
    ['text', '🙂🙂🙂🙂', 'is longer than maxLength'],
    ['text', 5, 'must be a string'],
    ['text', null, 'must be a string'],
    ['text', ['abc'], 'must be a string'],
    ['text', { toString: 'abc' }, 'must be a string'],
    ['mail', 'nobody', 'is no email'],
    ['mail', '', 'is no email'],
    ['amount', 0.49, 'is less than minimum'],
    ['amount', 2.01, 'is more than maximum'],
    ['amount', '1', 'must be a number'],
    ['amount', Infinity, 'must be a number'],
    ['amount', null, 'must be a number'],
    ['count', 0, 'is less than minimum'],
    ['count', 4, 'is more than maximum'],
    ['count', 1.5, 'must be an integer'],
    ['count', '1', 'must be an integer'],
    ['count', 2 ** 53, 'must be an integer'],
    ['sure', 'true', 'must be true or false'],
    ['sure', 1, 'must be true or false'],
    ['sure', null, 'must be true or false'],
    ['pick', 'c', 'must be one of the options'],
    ['pick', 'A', 'must be one of the options'],
    ['pick', '', 'must be one of the options'],
    ['pick', ['a'], 'must be a string'],
    ['titled', 'The X', 'must be one of the options'],
    ['many', 'a', 'must be a list'],
    ['many', { 0: 'a', length: 1 }, 'must be a list'],
    ['many', [], 'holds fewer than minItems'],
    ['many', ['a', 'b', 'c'], 'holds more than maxItems'],
    ['many', ['a', 'a'], 'holds an option twice'],
    ['many', ['d'], 'must hold only options'],
    ['many', [null], 'must hold only options'],
    ['many', [['a']], 'must hold only options'],
    ['manyTitled', ['The X'], 'must hold only options'],
  ])('is invalid when %s is %j', (name, value, rule) => {
    expect(accept({ [name]: value })).toEqual({ status: 'invalid', reason: `field "${name}" ${rule}` });
  });

  it('counts lengths in code points', () => {
    expect(accept({ text: '🙂🙂🙂' }).status).toBe('accepted');
  });

  it('is invalid when it is larger than any form needs', () => {
    const fields = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}`, { type: 'string' }]));
    const filled = (chars: number) => Object.fromEntries(Object.keys(fields).map((name) => [name, 'x'.repeat(chars)]));
    const answer = (chars: number) => checkAnswer(form([], fields), { action: 'accept', content: filled(chars) });
    expect(answer(ANSWER_TEXT_CHARS_MAX + 1).reason).toBe('field "f0" is too long for any answer');
    expect(answer(ANSWER_TEXT_CHARS_MAX).reason).toBe('content is too large');
  });

  it('never throws, and accepts nothing but the three actions, whatever comes', () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(form(), url, sampling, roots), (answer, ask) => {
        expect(['accepted', 'declined', 'cancelled', 'invalid']).toContain(checkAnswer(ask, answer).status);
      }),
    );
  });
});

describe('an answer to a url ask', () => {
  it('accepts as consent alone: content and other members are dropped', () => {
    for (const answer of [
      { action: 'accept' },
      { action: 'accept', content: { done: true } },
      { action: 'accept', content: 5, _meta: {}, x: 1 },
    ]) {
      expect(checkAnswer(url, answer)).toEqual({ status: 'accepted', answer: { action: 'accept' } });
    }
  });
});

describe('an answer to a sampling ask', () => {
  const text = { type: 'text', text: 'hello' };
  const result = { role: 'assistant', content: text, model: 'm-1' };

  it.each([
    ['a text', text],
    ['a list', [text, { type: 'image', data: 'AA==', mimeType: 'image/png', annotations: {} }]],
    ['a tool use', { type: 'tool_use', id: '1', name: 'n', input: { a: 1 } }],
    [
      'a tool result',
      [{ type: 'tool_result', toolUseId: '1', content: [text], isError: false, structuredContent: [1] }],
    ],
  ])('is accepted with %s', (_what, content) => {
    expect(checkAnswer(sampling, { ...result, content, stopReason: 'endTurn' })).toEqual({
      status: 'accepted',
      answer: { ...result, content, stopReason: 'endTurn' },
    });
  });

  it('loses what its shape does not have', () => {
    const junk = {
      ...result,
      content: { ...text, _meta: { a: 1 }, data: 'x', __x: 1 },
      _meta: {},
      action: 'accept',
      resultType: 'complete',
    };
    expect(checkAnswer(sampling, junk)).toEqual({ status: 'accepted', answer: result });
  });

  it.each([
    [{ role: 'system' }, 'role is not user or assistant'],
    [{ role: undefined }, 'role is not user or assistant'],
    [{ model: undefined }, 'model is not a name'],
    [{ model: '' }, 'model is not a name'],
    [{ model: 5 }, 'model is not a name'],
    [{ model: 'm'.repeat(DISPLAY_NAME_CHARS_MAX + 1) }, 'model is not a name'],
    [{ stopReason: 5 }, 'stopReason is not a name'],
    [{ content: [] }, 'content has no block or too many'],
    [{ content: Array.from({ length: SAMPLING_BLOCKS_MAX + 1 }, () => text) }, 'content has no block or too many'],
    [{ content: undefined }, 'content has a block that is malformed'],
    [{ content: 'hello' }, 'content has a block that is malformed'],
    [{ content: null }, 'content has a block that is malformed'],
    [{ content: [null] }, 'content has a block that is malformed'],
    [{ content: [[text]] }, 'content has a block that is malformed'],
    [{ content: { type: 'text' } }, 'content has a block that is malformed'],
    [{ content: { type: 'text', text: 5 } }, 'content has a block that is malformed'],
    [{ content: { type: 'text', text: 'x', annotations: [] } }, 'content has a block that is malformed'],
    [{ content: { type: 'image', data: 'x' } }, 'content has a block that is malformed'],
    [{ content: { type: 'video', data: 'x', mimeType: 'y' } }, 'content has a block that is malformed'],
    [{ content: { type: 'constructor' } }, 'content has a block that is malformed'],
    [{ content: { type: 'tool_use', id: '1', name: 'n', input: [] } }, 'content has a block that is malformed'],
    [{ content: { type: 'tool_result', toolUseId: '1', content: ['x'] } }, 'content has a block that is malformed'],
    [{ content: { type: 'text', text: 'x'.repeat(SAMPLING_CHARS_MAX) } }, 'answer is too large'],
  ])('is invalid with a wrong part: case %#', (part, reason) => {
    expect(checkAnswer(sampling, { ...result, ...part })).toEqual({ status: 'invalid', reason });
  });

  it('cannot be declined', () => {
    expect(checkAnswer(sampling, { action: 'decline' }).status).toBe('invalid');
    expect(checkAnswer(roots, { action: 'cancel' }).status).toBe('invalid');
  });
});

describe('an answer to a roots ask', () => {
  it('is accepted with file URIs, with their names and nothing else', () => {
    const answer = { roots: [{ uri: 'file:///a', name: 'A', _meta: {}, x: 1 }, { uri: 'file:///b%20c' }], _meta: {} };
    expect(checkAnswer(roots, answer)).toEqual({
      status: 'accepted',
      answer: { roots: [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b%20c' }] },
    });
    expect(checkAnswer(roots, { roots: [] })).toEqual({ status: 'accepted', answer: { roots: [] } });
  });

  it.each([undefined, null, {}, 'file:///a', 5])('is invalid when roots is %j', (value) => {
    expect(checkAnswer(roots, { roots: value })).toEqual({ status: 'invalid', reason: 'roots is not a list' });
  });

  it.each([
    null,
    'file:///a',
    [],
    {},
    { uri: 5 },
    { uri: 'https://a' },
    { uri: '/a' },
    { uri: 'file:/a' },
    { uri: 'FILE:///a b' },
    { uri: 'file:///a b' },
    { uri: 'file:///a\n' },
    { uri: 'file:///a', name: 5 },
    { uri: 'file:///a', name: null },
    { uri: 'file:///a', name: 'n'.repeat(DISPLAY_NAME_CHARS_MAX + 1) },
  ])('is invalid with the root %j', (root) => {
    expect(checkAnswer(roots, { roots: [{ uri: 'file:///ok' }, root] }).reason).toBe(
      'roots has an entry that is no file URI with an optional name',
    );
  });

  it('is invalid with too many roots', () => {
    const many = Array.from({ length: ROOTS_MAX + 1 }, () => ({ uri: 'file:///a' }));
    expect(checkAnswer(roots, { roots: many }).reason).toBe('roots has too many entries');
  });
});
