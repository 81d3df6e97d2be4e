import { ROOT_CONTEXT, SpanKind, TraceFlags, trace, type Context, type Link } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace-base';
import { followingLinks } from '@roundhouse/telemetry';
import { RoundSampler, type RemoteSampled } from './round-sampler.js';

const IDS = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const under = (traceFlags: TraceFlags, isRemote: boolean): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { ...IDS, traceFlags, isRemote });
const linkTo = (traceFlags: TraceFlags): Link => ({ context: { ...IDS, traceFlags } });
const { NONE, SAMPLED } = TraceFlags;

interface Case {
  readonly ratio?: number;
  readonly remoteSampled?: RemoteSampled;
  readonly lot?: number;
}

function samples({ ratio = 0, remoteSampled = 'ratio', lot = 0 }: Case, context = ROOT_CONTEXT, links: Link[] = []) {
  const sampler = new RoundSampler({ ratio, remoteSampled, random: () => lot });
  const { decision } = sampler.shouldSample(context, IDS.traceId, 'tools/call', SpanKind.SERVER, {}, links);
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}

describe('a root', () => {
  it.each([
    [0, 0, false],
    [0.1, 0.099, true],
    [0.1, 0.1, false],
    [1, 0.999, true],
  ])('of ratio %d that drew %d is recorded: %s', (ratio, lot, recorded) => {
    expect(samples({ ratio, lot })).toBe(recorded);
  });
});

describe('a span under one of the same process', () => {
  it.each(['trust', 'ratio', 'ignore'] as const)(
    'does what that one did, whatever clients are worth (%s)',
    (remoteSampled) => {
      expect(samples({ ratio: 0, remoteSampled }, under(SAMPLED, false))).toBe(true);
      expect(samples({ ratio: 1, remoteSampled }, under(NONE, false))).toBe(false);
    },
  );
});

describe('a span under one of a client', () => {
  it.each<[RemoteSampled, TraceFlags, number, boolean]>([
    ['trust', SAMPLED, 0, true],
    ['trust', NONE, 1, false],
    ['ratio', SAMPLED, 0, false],
    ['ratio', SAMPLED, 1, true],
    ['ratio', NONE, 1, false],
    ['ignore', SAMPLED, 0, false],
    ['ignore', NONE, 1, true],
  ])('with %s, flag %d and ratio %d is recorded: %s', (remoteSampled, flag, ratio, recorded) => {
    expect(samples({ ratio, remoteSampled }, under(flag, true))).toBe(recorded);
  });

  it('cannot choose a trace id that always wins', () => {
    const lowest = trace.setSpanContext(ROOT_CONTEXT, {
      ...IDS,
      traceId: `${'0'.repeat(31)}1`,
      traceFlags: SAMPLED,
      isRemote: true,
    });
    expect(samples({ ratio: 0.1, lot: 0.5 }, lowest)).toBe(false);
  });
});

describe('a span with links', () => {
  it('is recorded when one of those it was made with was', () => {
    expect(samples({}, ROOT_CONTEXT, [linkTo(NONE), linkTo(SAMPLED)])).toBe(true);
    expect(samples({ remoteSampled: 'ignore' }, under(NONE, true), [linkTo(SAMPLED)])).toBe(true);
  });

  it('is not recorded for one that was not', () => {
    expect(samples({}, ROOT_CONTEXT, [linkTo(NONE)])).toBe(false);
  });

  it('has its HTTP span recorded too', () => {
    expect(samples({}, followingLinks(ROOT_CONTEXT, [linkTo(SAMPLED)]))).toBe(true);
    expect(samples({}, followingLinks(ROOT_CONTEXT, [linkTo(NONE)]))).toBe(false);
  });
});
