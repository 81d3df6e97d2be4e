import { afterEach, describe, expect, it } from '@jest/globals';
import { ROOT_CONTEXT, TraceFlags, type Link } from '@opentelemetry/api';
import { drawLotsBy, followingLinks, isRecordedIn, rootContext } from './recording.js';

const linkTo = (traceFlags: TraceFlags): Link => ({
  context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags },
});
const SAMPLED = linkTo(TraceFlags.SAMPLED);
const NOT_SAMPLED = linkTo(TraceFlags.NONE);

afterEach(() => drawLotsBy(undefined));

describe('a trace that begins here', () => {
  it('is recorded when its lot says so, and draws one lot', () => {
    let drawn = 0;
    drawLotsBy(() => (drawn += 1) === 2);
    expect(rootContext([])).toBeUndefined();
    const second = rootContext([NOT_SAMPLED]);
    expect([second && isRecordedIn(second), drawn]).toEqual([true, 2]);
  });

  it('is recorded whatever its lot when it goes on with one that was', () => {
    drawLotsBy(() => false);
    const context = rootContext([NOT_SAMPLED, SAMPLED]);
    expect(context && isRecordedIn(context)).toBe(true);
  });

  it('is left to the SDK where nobody draws lots', () => {
    const context = rootContext([NOT_SAMPLED]);
    expect(context).toBe(ROOT_CONTEXT);
    expect(isRecordedIn(ROOT_CONTEXT)).toBe(false);
  });
});

describe('a span under somebody else’s', () => {
  it('is recorded for a sampled link alone', () => {
    expect(isRecordedIn(followingLinks(ROOT_CONTEXT, [NOT_SAMPLED]))).toBe(false);
    expect(isRecordedIn(followingLinks(ROOT_CONTEXT, [NOT_SAMPLED, SAMPLED]))).toBe(true);
  });
});
