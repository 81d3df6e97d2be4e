import { describe, expect, it } from '@jest/globals';
import {
  COLLECTION_ENTRIES_MAX,
  INPUT_CHARS_MAX,
  INPUT_VALUES_MAX,
  SeenTarget,
  toRuleInput,
  type Caller,
} from './rule-input.js';
import { EXPRESSION_CHARS_MAX, RuleExpression } from './rule-expression.js';

const alice: Caller = {
  principal: { kind: 'user', issuer: 'https://login.example', subject: 'alice', tenant: 'acme' },
  scopes: new Set(['notes:read', 'notes:write']),
  claims: { groups: ['ops', 'dev'], level: 3 },
};
const target = new SeenTarget('tool', 'notes_delete', true);

function compile(text: string): RuleExpression {
  const compiled = RuleExpression.compile(text);
  if (typeof compiled === 'string') throw new Error(compiled);
  return compiled;
}
const ask = (text: string, args: unknown = {}, caller = alice): boolean =>
  compile(text).holds(toRuleInput(caller, target, args));

describe('a condition', () => {
  it.each([
    ['principal.tenant == "acme"', {}],
    ['principal.clientId == ""', {}],
    ['principal.subject == "alice" && target.name == "notes_delete"', {}],
    ['"notes:write" in principal.scopes', {}],
    ['"ops" in principal.claims.groups', {}],
    ['has(principal.claims.level) && principal.claims.level >= 3', {}],
    ['args.amount <= 100', { amount: 100 }],
    ['args.items.all(item, item.price < 10.5)', { items: [{ price: 1 }, { price: 10 }] }],
    ['!has(args.force)', {}],
    ['args.constructor == "x"', { constructor: 'x' }],
    ['has(args.__proto__)', JSON.parse('{"__proto__":1}')],
    ['target.destructive ? size(args.title) > 0 : true', { title: 'a' }],
  ])('%s holds', (text, args) => {
    expect(ask(text, args)).toBe(true);
  });

  it.each([
    ['principal.tenant == "Acme"', {}],
    ['"tools:admin" in principal.scopes', {}],
    ['args.amount <= 100', { amount: 100.5 }],
    ['args.amount <= 100', { amount: 1e18 }],
    ['has(args.toString)', {}],
    ['has(args.constructor)', {}],
    ['args.kind == "a"', { kind: 'a\u0000' }],
    ['args.items.exists(item, item == "x")', { items: [] }],
  ])('%s does not hold for %j', (text, args) => {
    expect(ask(text, args)).toBe(false);
  });

  it.each([
    ['args.amount <= 100', {}],
    ['args.amount <= 100', { amount: '1' }],
    ['args.amount <= 100', { amount: null }],
    ['args.amount <= 100', { amount: [1] }],
    ['args.flag', { flag: 'true' }],
    ['args.flag', { flag: 1 }],
    ['principal.claims.absent == 1', {}],
    ['args.toString == "x"', {}],
    ['args.list[9] == 1', { list: [] }],
    ['1 / int(args.n) == 1', { n: 0 }],
  ])('%s is an error, not an answer, for %j', (text, args) => {
    expect(() => ask(text, args)).toThrow();
  });
});

describe('a condition that is refused when it is loaded', () => {
  it.each([
    ['', 'is not valid CEL: '],
    ['principal.tenant ==', 'is not valid CEL: unexpected token'],
    ['principal.tennant == "acme"', 'is not valid CEL: no such key'],
    ['user.name == "x"', 'is not valid CEL: unknown variable'],
    ['args', 'must be a condition, and is of type map<string, dyn>'],
    ['1 + 1', 'must be a condition, and is of type int'],
    ['"true"', 'must be a condition, and is of type string'],
    ['principal.tenant == 5', 'is not valid CEL: '],
    ['args.x.matches("(a+)+$")', 'may not use matches()'],
    ['args.x.split(",").size() > 1', 'may not use split()'],
    ['args.x.map(y, y).size() > 1', 'may not use map()'],
    ['args.x.filter(y, y).size() > 1', 'may not use filter()'],
    ['cel.bind(x, args.x, x == 1)', 'may not use bind()'],
    ['timestamp("2026-01-01T00:00:00Z") == timestamp("2026-01-01T00:00:00Z")', 'may not use timestamp()'],
    ['args.x.exists(y, args.x.exists(z, z == y))', 'may not have a quantifier inside a quantifier'],
    ['args.a.all(x, true) && args.b.all(y, y.all(z, z == 1))', 'may not have a quantifier inside a quantifier'],
  ])('%s: %s', (text, why) => {
    expect(RuleExpression.compile(text)).toEqual(expect.stringContaining(why));
  });

  it('is too long', () => {
    expect(RuleExpression.compile(`true || ${' '.repeat(EXPRESSION_CHARS_MAX)}true`)).toMatch(/at most/);
  });

  it('has too many parts', () => {
    expect(RuleExpression.compile(Array.from({ length: 200 }, () => 'true').join('||'))).toMatch(/not valid CEL/);
  });

  it('is nested too deeply', () => {
    expect(RuleExpression.compile(`${'('.repeat(200)}true${')'.repeat(200)}`)).toMatch(/not valid CEL/);
  });

  it('would do too much for each entry of a list', () => {
    const many = Array.from({ length: 30 }, (_, at) => `x == ${at}`).join('||');
    expect(RuleExpression.compile(`args.list.all(x, ${many})`)).toMatch(/too large/);
  });

  it('is not quoted by its refusal', () => {
    expect(RuleExpression.compile('principal.tenant == "hunter2" &&& 1')).not.toMatch(/hunter2/);
  });
});

describe('what a condition may look at', () => {
  const withArgs = (args: unknown) => () => toRuleInput(alice, target, args);

  it.each([
    ['a long list', { list: Array.from({ length: COLLECTION_ENTRIES_MAX + 1 }, () => 0) }],
    ['a wide object', Object.fromEntries(Array.from({ length: COLLECTION_ENTRIES_MAX + 1 }, (_, at) => [`k${at}`, 0]))],
    ['a long text', { text: 'x'.repeat(INPUT_CHARS_MAX + 1) }],
    ['long keys', { ['x'.repeat(INPUT_CHARS_MAX + 1)]: 1 }],
    ['many values', { list: Array.from({ length: 16 }, () => Array.from({ length: INPUT_VALUES_MAX / 16 }, () => 0)) }],
    ['deep nesting', { a: JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) as unknown }],
  ])('is refused: %s', (_what, args) => {
    expect(withArgs(args)).toThrow(RangeError);
  });

  it('is refused: a token with more scopes than a list may have entries', () => {
    const scopes = new Set(Array.from({ length: COLLECTION_ENTRIES_MAX + 1 }, (_, at) => `s${at}`));
    expect(() => toRuleInput({ ...alice, scopes }, target, {})).toThrow(RangeError);
  });

  it('is counted for each call anew, and one call sees nothing of another', () => {
    const half = { list: Array.from({ length: COLLECTION_ENTRIES_MAX }, () => 'x'.repeat(INPUT_CHARS_MAX / 512)) };
    for (let call = 0; call < 5; call += 1) expect(withArgs({ ...half, call })().args.get('call')).toBe(call);
    expect(withArgs(undefined)().args.size).toBe(0);
    expect(withArgs(null)().args.size).toBe(0);
  });

  it('is refused each time when the caller alone is too much', () => {
    const large = { ...alice, claims: { groups: 'g'.repeat(INPUT_CHARS_MAX + 1) } };
    for (let call = 0; call < 2; call += 1) expect(() => toRuleInput(large, target, {})).toThrow(RangeError);
  });

  it('is everything of an ordinary call', () => {
    expect(withArgs({ list: Array.from({ length: COLLECTION_ENTRIES_MAX }, () => 'x') })).not.toThrow();
  });
});
