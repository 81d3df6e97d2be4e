import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HEADER_VALUE_BYTES_MAX } from '../limits.js';
import { decodeHeaderValue, encodeHeaderValue } from './header-value.js';

const sentinel = (bytes: Uint8Array | string) => `=?base64?${Buffer.from(bytes as string).toString('base64')}?=`;

describe('decodeHeaderValue', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['us west 1', 'us west 1'],
    ['  padded\t', 'padded'],
    ['a\tb', 'a\tb'],
    [' \t ', ''],
    ['true', 'true'],
    ['=?base64?SGVsbG8=?=', 'Hello'],
    [' =?base64?SGVsbG8=?= ', 'Hello'],
    ['=?base64?IGV1LXdlc3QtMQ==?=', ' eu-west-1'],
    ['=?base64?Y3JtLmV4cG9ydC9uYcOvdmU=?=', 'crm.export/naïve'],
    ['=?base64?PT9iYXNlNjQ/eD89?=', '=?base64?x?='],
    ['=?base64??=', ''],
  ])('reads %j as %j', (raw, value) => {
    expect(decodeHeaderValue(raw)).toBe(value);
  });

  it.each([
    ['only the prefix', '=?base64?SGVsbG8='],
    ['only the suffix', 'SGVsbG8=?='],
    ['no marker', 'SGVsbG8='],
    ['an upper-case marker', '=?BASE64?SGVsbG8=?='],
    ['prefix and suffix that overlap', '=?base64?='],
    ['a marker inside', 'x=?base64?SGVsbG8=?='],
    ['another charset', '=?utf-8?B?SGVsbG8=?='],
  ])('takes a value with %s for a literal', (_what, raw) => {
    expect(decodeHeaderValue(raw)).toBe(raw);
  });

  it.each([
    ['padding missing', '=?base64?SGVsbG8?='],
    ['padding doubled', '=?base64?SGVsbG8==?='],
    ['padding alone', '=?base64?=?='],
    ['padding inside', '=?base64?SGVs=bG8?='],
    ['characters outside the alphabet', '=?base64?SGVs!!!bG8=?='],
    ['the URL alphabet', '=?base64?-_-_?='],
    ['a space inside', '=?base64?SGVs bG8=?='],
    ['a question mark inside', '=?base64?SGVs?G8=?='],
    ['unused bits set', '=?base64?SGVsbG9=?='],
    ['one character too many', '=?base64?SGVsbG8=A?='],
    ['a nested sentinel', '=?base64?=?base64?SGVsbG8=?=?='],
    ['bytes that are not UTF-8', sentinel(Uint8Array.of(0xc3, 0x28))],
    ['a surrogate in UTF-8', sentinel(Uint8Array.of(0xed, 0xa0, 0x80))],
    ['an overlong form', sentinel(Uint8Array.of(0xc0, 0x80))],
    ['raw bytes above ASCII', 'na\u00efve'],
    ['a line feed', 'a\nX: 1'],
    ['a carriage return', 'a\rb'],
    ['a NUL', 'a\0b'],
    ['a DEL', 'a\x7fb'],
    ['text beyond Latin-1', '🙂'],
    ['too many bytes', 'a'.repeat(HEADER_VALUE_BYTES_MAX + 1)],
    ['nothing but too many spaces', ' '.repeat(HEADER_VALUE_BYTES_MAX + 1)],
  ])('refuses %s', (_what, raw) => {
    expect(decodeHeaderValue(raw)).toBeUndefined();
  });

  it('keeps a byte order mark that belongs to the value', () => {
    expect(decodeHeaderValue(sentinel('\ufeffx'))).toBe('\ufeffx');
  });

  it('takes no more than one text for one encoded value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Za-z0-9+/=]{0,12}$/), (value, other) => {
        const encoded = sentinel(value);
        const forged = `=?base64?${other}?=`;
        if (decodeHeaderValue(forged) === decodeHeaderValue(encoded)) expect(forged).toBe(encoded);
      }),
    );
  });
});

describe('encodeHeaderValue', () => {
  it.each([
    ['us west 1', 'us west 1'],
    ['crm.export/naïve', '=?base64?Y3JtLmV4cG9ydC9uYcOvdmU=?='],
    [' eu-west-1', '=?base64?IGV1LXdlc3QtMQ==?='],
    ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
    ['=?base64?x', '=?base64?x'],
    ['a\tb', '=?base64?YQli?='],
    ['', '=?base64??='],
    ['42', '42'],
  ])('writes %j as %j', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
  });

  it('gives a plain, trimmed header that decodes to the value, whatever the value', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('=?base64?', '?=', ' ', 'a ', '\t', 'x\r\ny'),
        ),
        (value) => {
          const header = encodeHeaderValue(value);
          expect(header).toMatch(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
          expect(decodeHeaderValue(header)).toBe(value.toWellFormed());
        },
      ),
    );
  });
});
