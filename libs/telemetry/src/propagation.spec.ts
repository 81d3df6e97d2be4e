import { describe, expect, it } from '@jest/globals';
import { INVALID_SPAN_CONTEXT, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import fc from 'fast-check';
import {
  BAGGAGE_CHARS_MAX,
  BAGGAGE_MEMBERS_MAX,
  TRACESTATE_CHARS_MAX,
  baggageFrom,
  carrierOf,
  isSampled,
  parentFrom,
  parseTraceparent,
  type TraceCarrier,
} from './propagation.js';

const TRACEPARENT = '00-5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5-1a2b3c4d5e6f7081-01';

describe('parseTraceparent', () => {
  it('reads a W3C traceparent', () => {
    expect(parseTraceparent(TRACEPARENT)).toEqual({
      traceId: '5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5',
      spanId: '1a2b3c4d5e6f7081',
      traceFlags: 1,
      isRemote: true,
    });
  });

  it.each([
    undefined,
    '',
    TRACEPARENT.toUpperCase(),
    ` ${TRACEPARENT}`,
    `${TRACEPARENT}-00`,
    TRACEPARENT.replace('00-', 'ff-'),
    `00-${'0'.repeat(32)}-1a2b3c4d5e6f7081-01`,
    `00-5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5-${'0'.repeat(16)}-01`,
    '00-5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f-1a2b3c4d5e6f7081-01',
    '00-5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5-1a2b3c4d5e6f7081-1',
    '00-5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4fg-1a2b3c4d5e6f7081-01',
  ])('drops %j', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});

describe('parentFrom, whatever comes', () => {
  /** Texts that are almost a trace context, so that the search does not end at the first character. */
  const almost = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{30,34}-[0-9a-f]{15,17}-[0-9a-f]{1,3}$/),
    fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/),
  );

  it('never throws, and takes a parent only from what is exactly one', () => {
    fc.assert(
      fc.property(almost, fc.string(), (traceparent, tracestate) => {
        const spanContext = trace.getSpanContext(parentFrom({ traceparent, tracestate }) ?? ROOT_CONTEXT);
        if (spanContext === undefined) return;
        expect(traceparent).toContain(`-${spanContext.traceId}-${spanContext.spanId}-`);
        expect(trace.isSpanContextValid(spanContext)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('sends on no more than the limits of trace state and baggage allow', () => {
    const list = fc.array(fc.stringMatching(/^[a-z]{1,40}=[ -~]{0,200}$/), { maxLength: 80 });
    fc.assert(
      fc.property(list, list, (states, entries) => {
        const carrier = { traceparent: TRACEPARENT, tracestate: states.join(','), baggage: entries.join(',') };
        const { tracestate = '', baggage = '' } = onward(carrier);
        expect(tracestate.length).toBeLessThanOrEqual(TRACESTATE_CHARS_MAX);
        expect(['', carrier.baggage]).toContain(baggage);
        expect(baggage.length).toBeLessThanOrEqual(BAGGAGE_CHARS_MAX);
        expect(baggage.split(',').length).toBeLessThanOrEqual(BAGGAGE_MEMBERS_MAX);
      }),
    );
  });
});

/** The carrier that a span continuing what came in would send on. */
function onward(incoming: TraceCarrier): TraceCarrier {
  const parent = parentFrom(incoming) ?? ROOT_CONTEXT;
  return carrierOf(trace.getSpan(parent) ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT), baggageFrom(incoming));
}

describe('carrierOf', () => {
  it('gives back the trace state and baggage that came with a parent, to the byte', () => {
    const carrier = {
      traceparent: TRACEPARENT,
      tracestate: 'vendor=1,other=2',
      baggage: 'tenant=a%20b; prop=1 , user=x,__proto__=1',
    };
    expect(onward(carrier)).toEqual(carrier);
  });

  it('gives baggage on that came alone', () => {
    expect(onward({ baggage: 'tenant=a' })).toEqual({ baggage: 'tenant=a' });
  });

  it('names nothing when there is no valid span', () => {
    expect(carrierOf(trace.wrapSpanContext(INVALID_SPAN_CONTEXT), undefined)).toEqual({});
  });

  it.each([
    ['a trace state over its length', { tracestate: `a=${'b'.repeat(TRACESTATE_CHARS_MAX)}` }],
    ['a trace state of 33 members', { tracestate: Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(',') }],
    ['baggage over its length', { baggage: `a=${'b'.repeat(BAGGAGE_CHARS_MAX)}` }],
    ['baggage of 65 members', { baggage: Array.from({ length: 65 }, (_, n) => `k${n}=1`).join(',') }],
    ['baggage with a line break', { baggage: 'a=1\r\nx: y' }],
    ['baggage that is no ASCII', { baggage: 'a=ü' }],
    ['empty baggage', { baggage: '' }],
  ])('drops %s and keeps the parent', (_what, extra) => {
    expect(onward({ traceparent: TRACEPARENT, ...extra })).toEqual({ traceparent: TRACEPARENT });
  });
});

describe('isSampled', () => {
  it('is so when the sender records the span it names', () => {
    expect(isSampled({ traceparent: TRACEPARENT })).toBe(true);
  });

  it.each([undefined, '', 'garbage-01', TRACEPARENT.replace(/01$/, '00'), TRACEPARENT.replace('00-', 'ff-')])(
    'is not so for %j',
    (traceparent) => {
      expect(isSampled(traceparent === undefined ? {} : { traceparent })).toBe(false);
    },
  );
});
