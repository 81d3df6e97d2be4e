import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TEMPLATE_VARIABLES_MAX, URI_CHARS_MAX } from '../limits.js';
import { checkUriTemplate, resourceTemplateMatcher } from './resource-template.js';

const matches = (template: string, uri: string) => resourceTemplateMatcher(template)(uri);

describe('resourceTemplateMatcher', () => {
  it.each([
    ['crm://accounts/{id}', 'crm://accounts/981'],
    ['crm://accounts/{id}', 'crm://accounts/a%2Fb'],
    ['crm://accounts/{id}/notes', 'crm://accounts/1/notes'],
    ['file:///{+path}', 'file:///a/b/c'],
    ['file:///{+path}.{ext}', 'file:///a.b/c.txt'],
    ['file:///{+path}.{ext}', 'file:///a/b.tar.gz'],
    ['x://{a}-{b}', 'x://1-2-3'],
    ['x://{a}{b}', 'x://12'],
    ['x://{a}/{+b}/{c}', 'x://1/2/3/4'],
    ['{+uri}', 'anything:at/all'],
    ['x://fixed', 'x://fixed'],
    ['x://{a.b_1}?q={q}', 'x://1?q=2'],
  ])('%s covers %s', (template, uri) => {
    expect(matches(template, uri)).toBe(true);
  });

  it.each([
    ['crm://accounts/{id}', 'crm://accounts/'],
    ['crm://accounts/{id}', 'crm://accounts'],
    ['crm://accounts/{id}', 'crm://accounts/1/2'],
    ['crm://accounts/{id}', 'crm://accounts/1/'],
    ['crm://accounts/{id}', 'CRM://accounts/1'],
    ['crm://accounts/{id}', 'xcrm://accounts/1'],
    ['crm://accounts/{id}/notes', 'crm://accounts/1/notes/2'],
    ['crm://accounts/{id}/notes', 'crm://accounts//notes'],
    ['file:///{+path}', 'file:///'],
    ['file:///{+path}.{ext}', 'file:///a.b/c'],
    ['x://{a}-{b}', 'x://-2'],
    ['x://{a}-{b}', 'x://1/2-3'],
    ['x://{a}{b}', 'x://1'],
    ['x://{a}/{+b}/{c}', 'x://1//3'],
    ['x://fixed', 'x://fixed/'],
    ['x://fixed', ''],
    ['x://a.c', 'x://abc'],
    ['x://{a}', 'x://{a}/b'],
  ])('%s does not cover %s', (template, uri) => {
    expect(matches(template, uri)).toBe(false);
  });

  it('covers nothing beyond the length of a URI', () => {
    expect(matches('x://{a}', `x://${'a'.repeat(URI_CHARS_MAX)}`)).toBe(false);
  });

  it('agrees with the pattern that a backtracking matcher would use', () => {
    const part = fc.constantFrom('{a}', '{+b}', 'x', '/', '.', 'x/', 'xx');
    const template = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => `s:${parts.join('')}`);
    const uri = fc.array(fc.constantFrom('x', '/', '.', 'y'), { maxLength: 9 }).map((chars) => `s:${chars.join('')}`);
    fc.assert(
      fc.property(template, uri, (pattern, text) => {
        const source = pattern.replaceAll('.', '\\.').replaceAll('{a}', '[^/]+').replaceAll('{+b}', '.+');
        expect(matches(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('needs no more time for the patterns that ruin a backtracking matcher', () => {
    const template = `x:${'{+a}x'.repeat(TEMPLATE_VARIABLES_MAX)}!`;
    expect(matches(template, `x:${'x'.repeat(URI_CHARS_MAX - 2)}`)).toBe(false);
  });
});

describe('checkUriTemplate', () => {
  it.each([
    undefined,
    null,
    5,
    '',
    '/a/{id}',
    'x://{',
    'x://}',
    'x://{}',
    'x://{a',
    'x://a}',
    'x://{{a}}',
    'x://{a}}',
    'x://{?q}',
    'x://{&q}',
    'x://{#f}',
    'x://{/p}',
    'x://{.e}',
    'x://{;m}',
    'x://{a,b}',
    'x://{a*}',
    'x://{a:3}',
    'x://{++a}',
    'x://{+}',
    'x://{a b}',
    'x://{a-b}',
    'x://{.a}',
    'x://{a.}',
    'x://a b',
    'x://é',
    'x://a\n',
    'x://"',
    `x://${'a'.repeat(URI_CHARS_MAX)}`,
    `x://${'{a}'.repeat(TEMPLATE_VARIABLES_MAX + 1)}`,
  ])('refuses %j, and so does the matcher', (template) => {
    expect(checkUriTemplate(template)).toMatch(/^uriTemplate /);
    if (typeof template === 'string') expect(() => resourceTemplateMatcher(template)).toThrow(TypeError);
  });
});
