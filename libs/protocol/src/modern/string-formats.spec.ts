import { describe, expect, it } from '@jest/globals';
import { isStringFormat, matchesFormat } from './string-formats.js';

describe('email', () => {
  it.each(['a@b', 'a.b+c@example.co.uk', "o'brien_1@x-y.example"])('accepts %s', (text) => {
    expect(matchesFormat(text, 'email')).toBe(true);
  });

  it.each([
    '',
    'a',
    '@',
    'a@',
    '@b',
    'a@@b',
    'a b@c',
    'a@b c',
    '.a@b',
    'a.@b',
    'a..b@c',
    'a@-b',
    'a@b-',
    'a@b..c',
    'a@b.',
    'a@[1.2.3.4]',
    '"a b"@c',
    'a@b\n',
    'a,b@c',
    'é@b',
    `${'a'.repeat(65)}@b`,
    `a@${'b'.repeat(64)}`,
    `a@${'b.'.repeat(200)}c`,
  ])('refuses %j', (text) => {
    expect(matchesFormat(text, 'email')).toBe(false);
  });
});

describe('uri', () => {
  it.each([
    'https://example.com',
    'urn:isbn:1',
    'file:///a',
    'mailto:a@b',
    'gw+crm://accounts/1?x=%20#y',
    'http://[::1]/',
  ])('accepts %s', (text) => {
    expect(matchesFormat(text, 'uri')).toBe(true);
  });

  it.each([
    '',
    'example.com',
    '/a',
    '//a',
    '1a:b',
    'a:',
    'https://a b',
    'https://a\n',
    'https://é',
    'https://a/%zz',
    'https://a/%2',
    'https://a<b>',
    'https://a\\b',
    'https://a"',
    `a:${'b'.repeat(4_000)}`,
  ])('refuses %j', (text) => {
    expect(matchesFormat(text, 'uri')).toBe(false);
  });
});

describe('date', () => {
  it.each(['2026-08-01', '2024-02-29', '2000-02-29', '0001-01-01', '2026-12-31'])('accepts %s', (text) => {
    expect(matchesFormat(text, 'date')).toBe(true);
  });

  it.each([
    '',
    '2026-8-1',
    '26-08-01',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '2026-01-32',
    '2026-01-00',
    '2023-02-29',
    '1900-02-29',
    '2026-08-01T00:00:00Z',
    ' 2026-08-01',
    '2026/08/01',
    '+002026-08-01',
    '٢٠٢٦-08-01',
    '2026-08-01\n',
  ])('refuses %j', (text) => {
    expect(matchesFormat(text, 'date')).toBe(false);
  });
});

describe('date-time', () => {
  it.each([
    '2026-08-01T10:00:00Z',
    '2026-08-01t10:00:00z',
    '2026-08-01T23:59:60Z',
    '2026-08-01T10:00:00.123456+05:30',
    '2026-08-01T00:00:00-00:00',
  ])('accepts %s', (text) => {
    expect(matchesFormat(text, 'date-time')).toBe(true);
  });

  it.each([
    '',
    '2026-08-01',
    '2026-08-01T10:00:00',
    '2026-08-01 10:00:00Z',
    '2026-08-01T10:00Z',
    '2026-08-01T24:00:00Z',
    '2026-08-01T10:60:00Z',
    '2026-08-01T10:00:61Z',
    '2026-08-01T10:00:00.Z',
    '2026-08-01T10:00:00+24:00',
    '2026-08-01T10:00:00+05:60',
    '2026-08-01T10:00:00+0530',
    '2026-02-30T10:00:00Z',
    '2026-08-01T10:00:00Z\n',
  ])('refuses %j', (text) => {
    expect(matchesFormat(text, 'date-time')).toBe(false);
  });
});

describe('isStringFormat', () => {
  it.each(['password', 'uuid', 'URI', '', 'constructor', null, undefined, 5])('does not know %p', (format) => {
    expect(isStringFormat(format)).toBe(false);
  });
});
