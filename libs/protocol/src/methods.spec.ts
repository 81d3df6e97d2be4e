import { describe, expect, it } from '@jest/globals';
import { MODERN_METHODS, isModernMethod, isMultiRoundMethod, nameParamOf } from './methods.js';

const REMOVED = [
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/list',
  'tasks/result',
];
const NOT_METHODS = [
  'TOOLS/LIST',
  'Tools/list',
  'tools/list ',
  '',
  'unknown/method',
  'constructor',
  '__proto__',
  'toString',
  5,
  null,
  undefined,
];

describe('methods', () => {
  it.each([...REMOVED, ...NOT_METHODS])('does not serve %j', (method) => {
    expect(isModernMethod(method)).toBe(false);
    expect(isMultiRoundMethod(method)).toBe(false);
    expect(nameParamOf(method)).toBeUndefined();
  });

  it('lets only calls, prompts and reads take several rounds, and these are the ones that need Mcp-Name', () => {
    const multiRound = MODERN_METHODS.filter(isMultiRoundMethod);
    expect(multiRound).toEqual(['tools/call', 'prompts/get', 'resources/read']);
    expect(MODERN_METHODS.filter((method) => nameParamOf(method) !== undefined)).toEqual([
      'tools/call',
      'prompts/get',
      'resources/read',
    ]);
    expect(multiRound.map(nameParamOf)).toEqual(['name', 'name', 'uri']);
  });
});
