import { describe, expect, it } from '@jest/globals';
import { capabilitiesOfAsk, missingCapabilities } from './capabilities.js';

const FORM = { elicitation: { form: {} } };
const URL_MODE = { elicitation: { url: {} } };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('missingCapabilities', () => {
  it.each([
    [{}, {}],
    [FORM, { elicitation: {} }],
    [FORM, { elicitation: { form: {} } }],
    [FORM, { elicitation: { form: { x: 1 }, url: {} } }],
    [{ elicitation: {} }, { elicitation: {} }],
    [{ elicitation: {} }, FORM],
    [URL_MODE, { elicitation: { url: {} } }],
    [{ sampling: {} }, { sampling: { tools: {} } }],
    [{ sampling: { tools: {} } }, { sampling: { tools: {}, context: {} } }],
    [{ roots: {} }, { roots: { listChanged: true } }],
    [TASKS, { extensions: { 'io.modelcontextprotocol/tasks': { a: 1 }, 'com.example/x': {} } }],
  ])('finds all of %j in %j', (needed, declared) => {
    expect(missingCapabilities(needed, declared)).toBeUndefined();
  });

  it.each([
    [FORM, {}, FORM],
    [{ elicitation: {} }, {}, FORM],
    [FORM, URL_MODE, FORM],
    [{ elicitation: {} }, URL_MODE, FORM],
    [URL_MODE, { elicitation: {} }, URL_MODE],
    [URL_MODE, FORM, URL_MODE],
    [{ elicitation: { form: {}, url: {} } }, FORM, URL_MODE],
    [{ sampling: {} }, {}, { sampling: {} }],
    [{ sampling: { tools: {} } }, { sampling: {} }, { sampling: { tools: {} } }],
    [{ sampling: { tools: {} } }, {}, { sampling: { tools: {} } }],
    [{ roots: {} }, { sampling: {} }, { roots: {} }],
    [{ roots: {}, ...FORM }, { roots: {} }, FORM],
    [{ roots: {}, ...FORM }, {}, { roots: {}, ...FORM }],
    [TASKS, {}, TASKS],
    [TASKS, { extensions: {} }, TASKS],
    [{ extensions: { 'com.example/x': { v: 2 } } }, TASKS, { extensions: { 'com.example/x': {} } }],
  ])('of %j finds in %j everything but %j', (needed, declared, missing) => {
    expect(missingCapabilities(needed, declared)).toEqual(missing);
  });

  it.each([[[]], [null], [true], ['form'], [1], [[{ form: {} }]]])(
    'counts elicitation declared as %j as not declared',
    (value) => {
      expect(missingCapabilities(FORM, { elicitation: value })).toEqual(FORM);
      expect(missingCapabilities(FORM, { elicitation: { form: value } })).toEqual(FORM);
      expect(missingCapabilities(TASKS, { extensions: { 'io.modelcontextprotocol/tasks': value } })).toEqual(TASKS);
    },
  );

  it('finds nothing that is only inherited [B66]', () => {
    expect(missingCapabilities({ constructor: {} }, {})).toEqual({ constructor: {} });
    const needed = JSON.parse('{"extensions":{"__proto__":{}}}') as Record<string, unknown>;
    expect(JSON.stringify(missingCapabilities(needed, { extensions: {} }))).toBe('{"extensions":{"__proto__":{}}}');
  });
});

describe('capabilitiesOfAsk', () => {
  it.each([
    ['elicitation/create', undefined, FORM],
    ['elicitation/create', {}, FORM],
    ['elicitation/create', { mode: 'form' }, FORM],
    ['elicitation/create', { mode: 'url' }, URL_MODE],
    ['sampling/createMessage', { messages: [] }, { sampling: {} }],
    ['sampling/createMessage', { tools: [] }, { sampling: { tools: {} } }],
    ['sampling/createMessage', { toolChoice: { mode: 'none' } }, { sampling: { tools: {} } }],
    ['roots/list', undefined, { roots: {} }],
    ['tools/call', {}, {}],
  ])('%s with %j needs %j', (method, params, needed) => {
    expect(capabilitiesOfAsk({ method, params })).toEqual(needed);
  });
});
