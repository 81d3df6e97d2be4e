import { RoundhouseError } from '@roundhouse/errors';
import { parseConfigText } from './config-text.js';

function problemsOf(text: string): string {
  try {
    parseConfigText(text);
  } catch (thrown) {
    const error = RoundhouseError.from(thrown);
    expect(error).toMatchObject({ code: 'config_invalid', reason: 'config_malformed' });
    return String(error.facts['problems']);
  }
  throw new Error('nothing was refused');
}

describe('a file of plain data', () => {
  it.each(['', '# nothing\n', '---\n', 'router:\n', 'replay: { a: 1 }'])('has no section in %j', (text) => {
    expect(parseConfigText(text).section('router')).toBeUndefined();
  });

  it('has no section named like a member of every object', () => {
    expect(parseConfigText('router: {}').section('toString')).toBeUndefined();
  });

  it('reads plain words of YAML 1.1 as text', () => {
    expect(parseConfigText('router: { a: yes, b: off, c: 012, d: 2001-01-01 }').section('router')).toEqual({
      a: 'yes',
      b: 'off',
      c: 12,
      d: '2001-01-01',
    });
  });
});

describe('a file that is not plain data', () => {
  it.each([
    ['an alias', 'router:\n  a: &x 1\n  b: *x\n', 'router.b: aliases are not allowed (line 3 of the file)'],
    ['an unresolved alias', 'router: *x\n', 'router: aliases are not allowed (line 1 of the file)'],
    ['an unknown tag', 'router:\n  a: !!js/function x\n', 'tags are not allowed (line 2 of the file)'],
    ['a known tag', 'router:\n  a: !!binary aGk=\n', 'router.a: tags are not allowed (line 2 of the file)'],
    ['a repeated key', 'router:\n  a: 1\n  a: 2\n', 'a key is repeated (line 3 of the file)'],
    ['a repeated section', 'router: {}\nrouter: {}\n', 'a key is repeated (line 2 of the file)'],
    ['a second document', 'router: {}\n---\nrouter: {}\n', 'more than one document'],
    ['a key that is a list', 'router:\n  ? [a]\n  : 1\n', 'router: a key must be plain text (line 2 of the file)'],
    ['a tab as indent', 'router:\n\ta: 1\n', 'not valid YAML: tab as indent (line 2 of the file)'],
    ['an open bracket', 'router: [', 'not valid YAML'],
    ['another version of YAML', '%YAML 1.1\n---\nrouter: {}\n', 'only YAML 1.2 is read'],
    ['a list at the top', '- router\n', 'must be a mapping of sections'],
    ['text at the top', 'router', 'must be a mapping of sections'],
    [
      'a prototype key',
      'router:\n  __proto__: { a: 1 }\n',
      'router.__proto__: this key is not allowed (line 2 of the file)',
    ],
    ['a quoted prototype key', 'router: { "__proto__": 1 }', 'router.__proto__: this key is not allowed'],
    ['a prototype key in another section', 'replay:\n  list:\n    - constructor: 1\n', 'replay.list[0].constructor'],
    ['a prototype key at the top', '__proto__: {}\n', '__proto__: this key is not allowed (line 1 of the file)'],
  ])('is refused for %s', (_what, text, problem) => {
    expect(problemsOf(text)).toContain(problem);
  });

  it.each([
    ['brackets', '['.repeat(400_000) + ']'.repeat(400_000)],
    ['open brackets', '['.repeat(1_000_000)],
    ['dashes', '- '.repeat(400_000)],
    ['question marks', '? '.repeat(400_000)],
    ['indents', Array.from({ length: 1_000 }, (_none, depth) => `${' '.repeat(depth)}a:\n`).join('')],
  ])('is refused when its %s are nested too deeply', (_what, text) => {
    expect(problemsOf(text)).toContain('nested too deeply');
  });

  it('is read when it is nested as deeply as any schema of ours', () => {
    const depth = 16;
    expect(parseConfigText(`router: ${'{ a: '.repeat(depth)}1${' }'.repeat(depth)}`).section('router')).toBeDefined();
  });

  it('tells no value of a line that cannot be parsed', () => {
    expect(problemsOf('router:\n  password: "hunter2\\xZZ"\n  b: {hunter2\n')).not.toContain('hunter2');
  });

  it('tells every syntax problem, not the first alone', () => {
    expect(problemsOf('a: "\\xZZ"\nb: 1\nb: 2\n').split('\n')).toHaveLength(2);
  });
});
