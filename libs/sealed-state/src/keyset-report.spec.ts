import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KEYSET_REPORT_CHARS_MAX, parseKeysetReport, reportKeyset } from './keyset-report.js';
import { createKeysetEntry, formatKeyset, parseKeyset } from './parse-keyset.js';

const T0 = Date.UTC(2026, 8, 1);
const first = createKeysetEntry({ nowMs: T0, activateAtMs: T0, randomBytes });
const staged = createKeysetEntry({ nowMs: T0, activateAtMs: T0 + 3_600_000, randomBytes });
const keyset = parseKeyset(formatKeyset([first, staged]));
const report = reportKeyset(keyset, { nowMs: T0 + 1, loadedAtMs: T0, outcome: 'ok' });

describe('the report of a keyset', () => {
  it('tells ids, roles and times, and nothing else', () => {
    expect(report).toEqual({
      keys: [
        { kid: staged.kid, role: 'staged', activateAt: '2026-09-01T01:00:00.000Z' },
        { kid: first.kid, role: 'primary', activateAt: '2026-09-01T00:00:00.000Z' },
      ],
      loadedAt: '2026-09-01T00:00:00.000Z',
      outcome: 'ok',
    });
  });

  it('is read as it was told', () => {
    expect(parseKeysetReport(JSON.stringify(report))).toEqual(report);
  });

  it('is read from a newer router that says more', () => {
    expect(parseKeysetReport(JSON.stringify({ ...report, node: 'a' }))).toEqual(report);
  });

  it('is read while a bad file keeps the old keys in charge', () => {
    const bad = { ...report, outcome: 'error' };
    expect(parseKeysetReport(JSON.stringify(bad))).toEqual(bad);
  });

  it.each(['primary', 'staged', 'previous', 'disabled', 'destroyed'])('is read with a key that is %s', (role) => {
    const told = { ...report, keys: [{ ...report.keys[0], role }] };
    expect(parseKeysetReport(JSON.stringify(told))).toEqual(told);
  });

  it('is read up to its largest size', () => {
    expect(parseKeysetReport(JSON.stringify(report).padEnd(KEYSET_REPORT_CHARS_MAX))).toEqual(report);
  });

  it.each([
    ['no JSON', 'ok'],
    ['a list', '[]'],
    ['no keys', JSON.stringify({ ...report, keys: undefined })],
    ['keys that are no list', JSON.stringify({ ...report, keys: { 0: report.keys[0] } })],
    ['a bad key among good ones', JSON.stringify({ ...report, keys: [...report.keys, {}] })],
    ['a key that is null', JSON.stringify({ ...report, keys: [null] })],
    ['a key without kid', JSON.stringify({ ...report, keys: [{ ...report.keys[0], kid: 1 }] })],
    ['a role of its own', JSON.stringify({ ...report, keys: [{ ...report.keys[0], role: 'master' }] })],
    ['a key without time', JSON.stringify({ ...report, keys: [{ ...report.keys[0], activateAt: 1 }] })],
    ['an outcome of its own', JSON.stringify({ ...report, outcome: 'fine' })],
    ['no time of loading', JSON.stringify({ ...report, loadedAt: null })],
    ['too much', JSON.stringify(report) + ' '.repeat(KEYSET_REPORT_CHARS_MAX)],
  ])('is not read from %s', (_name, text) => {
    expect(parseKeysetReport(text)).toBeUndefined();
  });

  it('is read from any JSON without a throw', () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => expect(parseKeysetReport(text)).toBeUndefined()));
  });
});
