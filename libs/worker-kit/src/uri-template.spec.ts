import { describe, expect, it } from '@jest/globals';
import { variablesMatcher } from './uri-template.js';

describe('the variables of a URI', () => {
  it.each([
    ['test://{id}/data', 'test://123/data', { id: '123' }],
    ['test://{id}', 'test://a%20b%2Fc', { id: 'a b/c' }],
    ['test://{a}-{b}-{c}', 'test://1-2-3-4', { a: '1', b: '2', c: '3-4' }],
    ['test://{+path}.md', 'test://a/b.md/c.md', { path: 'a/b.md/c' }],
    ['test://{+dir}/{file}', 'test://a/b/c', { dir: 'a/b', file: 'c' }],
    ['test://{a}{b}', 'test://xyz', { a: 'x', b: 'yz' }],
    ['test://{__proto__}', 'test://x', Object.fromEntries([['__proto__', 'x']])],
  ])('under %s are the parts of %s', (template, uri, variables) => {
    expect(variablesMatcher(template)(uri)).toEqual(variables);
  });

  it.each([
    ['test://{id}/data', 'test:///data'],
    ['test://{id}/data', 'test://a/b/data'],
    ['test://{id}/data', 'test://a/data/'],
    ['test://{id}/data', 'TEST://a/data'],
    ['test://{id}', 'test://%E0%A4%A'],
    ['test://{id}', ''],
    ['test://{id}', `test://${'a'.repeat(3_000)}`],
  ])('under %s do not exist for %s', (template, uri) => {
    expect(variablesMatcher(template)(uri)).toBeUndefined();
  });

  it('are found in time that does not explode', () => {
    const match = variablesMatcher('test://{+a}-{+b}-{+c}-{+d}-{+e}-{f}/z');
    const startedAt = performance.now();
    expect(match(`test://${'-'.repeat(2_000)}`)).toBeUndefined();
    expect(match(`test://${'-'.repeat(2_000)}x/z`)).toMatchObject({ a: '-', b: '-' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it.each(['', '/{id}', 'test://{id', 'test://{?q}'])('are refused for the template %j', (template) => {
    expect(() => variablesMatcher(template)).toThrow(TypeError);
  });
});
