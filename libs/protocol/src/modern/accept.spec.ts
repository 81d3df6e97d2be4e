import { describe, expect, it } from '@jest/globals';
import { isJsonContentType, parseAccept } from './accept.js';

const BOTH = { json: true, sse: true };
const JSON_ONLY = { json: true, sse: false };
const SSE_ONLY = { json: false, sse: true };
const NEITHER = { json: false, sse: false };

describe('parseAccept', () => {
  it.each([
    [undefined, BOTH],
    ['', BOTH],
    [' ', BOTH],
    ['*/*', BOTH],
    ['application/json, text/event-stream', BOTH],
    ['text/event-stream,application/json', BOTH],
    ['application/json, text/event-stream;q=0.1', BOTH],
    ['text/event-stream;q=0.1, application/json', BOTH],
    ['APPLICATION/JSON , Text/Event-Stream', BOTH],
    ['application/*, text/*', BOTH],
    ['application/json;charset=utf-8, text/event-stream', BOTH],
    ['application/json', JSON_ONLY],
    ['application/*', JSON_ONLY],
    ['application/json, text/html', JSON_ONLY],
    ['*/*, text/event-stream;q=0', JSON_ONLY],
    ['text/event-stream;q=0, */*', JSON_ONLY],
    ['*/*;q=0.5, text/*;q=0.000', JSON_ONLY],
    ['text/event-stream', SSE_ONLY],
    ['text/*', SSE_ONLY],
    ['*/*, application/*;q=0', SSE_ONLY],
    ['application/*;q=0, application/json, text/*', BOTH],
    ['application/json;q=0', NEITHER],
    ['application/json;q=0.0, application/*', NEITHER],
    ['text/html', NEITHER],
    ['application/jsonp', NEITHER],
    ['application/json-seq, text/event-streams', NEITHER],
    ['json', NEITHER],
    ['*', NEITHER],
    ['*/json', NEITHER],
    [',,;', NEITHER],
    ['application/json;q=2', NEITHER],
    ['application/json;q=abc', NEITHER],
    ['application/json;q=', NEITHER],
    ['application/json;q=-1', NEITHER],
    ['application/json;Q=0', NEITHER],
    ['application/json; q=0', NEITHER],
    ['constructor, __proto__', NEITHER],
  ])('reads %j as %j [B39]', (header, accepted) => {
    expect(parseAccept(header)).toEqual(accepted);
  });
});

describe('isJsonContentType', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/json ;charset=UTF8 ',
    ' application/json',
    'application/json;',
  ])('takes %j [B38]', (header) => {
    expect(isJsonContentType(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'application/jsonp',
    'application/json-seq',
    'application/ld+json',
    'text/json',
    'text/plain',
    'json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; charset="utf-8',
    'application/json; charset=',
    'application/json, text/plain',
    'application/json, application/json',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; boundary=x',
    'multipart/form-data; application/json',
    'application/json charset=utf-8',
    'application /json',
    'application/json\n; charset=utf-8',
    'application/x-www-form-urlencoded',
  ])('refuses %j [B38]', (header) => {
    expect(isJsonContentType(header)).toBe(false);
  });
});
