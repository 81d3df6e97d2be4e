import { describe, expect, it } from '@jest/globals';
import { INVALID_SPAN_CONTEXT, trace, type Context, type Span } from '@opentelemetry/api';
import fc from 'fast-check';
import {
  BAGGAGE_CHARS_MAX,
  TRACESTATE_CHARS_MAX,
  carrierOf,
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

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (traceparent, tracestate, baggage) => {
        parentFrom({ traceparent, tracestate, baggage });
        parentFrom({ traceparent: TRACEPARENT, tracestate, baggage });
      }),
    );
  });
});

/** The carrier that a span continuing `incoming` would send on. */
function onward(incoming: Context): TraceCarrier {
  return carrierOf(trace.getSpan(incoming) as Span, incoming);
}

describe('carrierOf', () => {
  it('gives back the trace state and baggage that came with a parent', () => {
    const carrier = { traceparent: TRACEPARENT, tracestate: 'vendor=1,other=2', baggage: 'tenant=a%20b,user=x' };
    expect(onward(parentFrom(carrier) as Context)).toEqual(carrier);
  });

  it('names nothing when there is no valid span', () => {
    expect(carrierOf(trace.wrapSpanContext(INVALID_SPAN_CONTEXT), parentFrom({ traceparent: TRACEPARENT }))).toEqual(
      {},
    );
  });

  it.each([
    ['a trace state over its length', { tracestate: `a=${'b'.repeat(TRACESTATE_CHARS_MAX)}` }],
    ['a trace state of 33 members', { tracestate: Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(',') }],
    ['baggage over its length', { baggage: `a=${'b'.repeat(BAGGAGE_CHARS_MAX)}` }],
    ['baggage of 65 members', { baggage: Array.from({ length: 65 }, (_, n) => `k${n}=1`).join(',') }],
  ])('drops %s and keeps the parent', (_what, extra) => {
    expect(onward(parentFrom({ traceparent: TRACEPARENT, ...extra }) as Context)).toEqual({ traceparent: TRACEPARENT });
  });

  it('keeps baggage keys such as __proto__ harmless', () => {
    parentFrom({ traceparent: TRACEPARENT, baggage: '__proto__=1,constructor=2' });
    expect(({} as { value?: string }).value).toBeUndefined();
  });
});
