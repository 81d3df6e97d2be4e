import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { nextRoundIds, nextRoundTrace, parseTraceRef, roundLinks, toTraceRef } from './round-link.js';

const span = (digit: string) => ({ traceId: digit.repeat(32), spanId: digit.repeat(16), traceFlags: 1 });
const ref = (digit: string): string => toTraceRef(span(digit)) as string;

describe('round links', () => {
  it('keeps trace id, span id and the sampled flag in 25 bytes', () => {
    expect(Buffer.from(ref('a'), 'base64url')).toHaveLength(25);
    expect(parseTraceRef(ref('a'))).toEqual({ ...span('a'), isRemote: true });
  });

  it('links the second round to the first, once', () => {
    const links = roundLinks(nextRoundTrace(span('a'), undefined));
    expect(links.map(({ context, attributes }) => [context.spanId[0], attributes])).toEqual([
      ['a', { 'roundhouse.link.kind': 'mrtr.previous_round' }],
    ]);
  });

  it('links the third round to the second and to the first', () => {
    const links = roundLinks(nextRoundTrace(span('b'), nextRoundTrace(span('a'), undefined)));
    expect(links.map(({ context, attributes }) => [context.spanId[0], attributes])).toEqual([
      ['b', { 'roundhouse.link.kind': 'mrtr.previous_round' }],
      ['a', { 'roundhouse.link.kind': 'mrtr.origin' }],
    ]);
  });

  it('has no reference for a span that was never recorded', () => {
    expect(toTraceRef({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })).toBeUndefined();
    expect(nextRoundTrace(span('0'), undefined)).toBeUndefined();
  });

  it('keeps pointing at the last recorded round when one was not recorded', () => {
    const sealed = nextRoundTrace(span('a'), undefined);
    expect(nextRoundTrace(span('0'), sealed)).toEqual(sealed);
  });

  it.each(['', 'AAAA', 'A'.repeat(34), `${ref('a')}AAAA`, '!!!!'])('makes no link from %j', (text) => {
    expect(roundLinks({ previous: text, origin: text })).toEqual([]);
  });

  it('name the requests that they lead to', () => {
    const ids = nextRoundIds('second', nextRoundIds(1, undefined));
    const links = roundLinks(nextRoundTrace(span('b'), nextRoundTrace(span('a'), undefined)), ids);
    expect(links.map(({ attributes }) => attributes?.['jsonrpc.request.id'])).toEqual(['second', '1']);
  });

  it('name no request that the state did not tell', () => {
    const [link] = roundLinks(nextRoundTrace(span('a'), undefined), {});
    expect(link?.attributes).toEqual({ 'roundhouse.link.kind': 'mrtr.previous_round' });
  });

  it('keep an id of 64 characters as it is, and the digest of a longer one', () => {
    expect(nextRoundIds('x'.repeat(64), undefined).previous).toBe('x'.repeat(64));
    const digest = createHash('sha256').update('x'.repeat(65)).digest('base64url');
    expect(nextRoundIds('x'.repeat(65), undefined)).toEqual({
      previous: `sha256:${digest}`,
      origin: `sha256:${digest}`,
    });
  });
});
