import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { BasicTracerProvider, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { BoundedExport, SPANS_WAITING_MAX, spansDropped } from './bounded-export.js';

/** A collector in the state that a test wants; exports it keeps are answered when the test says so. */
class Collector implements SpanExporter {
  readonly taken: ReadableSpan[] = [];
  readonly held: (() => void)[] = [];
  failing: Error | undefined;
  holds = false;

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const answer = (): void => {
      if (this.failing !== undefined) return done({ code: ExportResultCode.FAILED, error: this.failing });
      this.taken.push(...spans);
      done({ code: ExportResultCode.SUCCESS });
    };
    if (this.holds) this.held.push(answer);
    else answer();
  }

  release(): void {
    this.holds = false;
    this.held.splice(0).forEach((answer) => answer());
  }

  async shutdown(): Promise<void> {}
}

function start() {
  const collector = new Collector();
  const lines: string[] = [];
  const clock = { nowMs: 0 };
  const bounded = new BoundedExport({
    exporter: collector,
    warn: (line) => lines.push(line),
    nowMs: () => clock.nowMs,
  });
  const tracer = new BasicTracerProvider({ spanProcessors: [bounded] }).getTracer('spec');
  const end = (count: number): void => {
    for (let at = 0; at < count; at += 1) tracer.startSpan('span').end();
  };
  const flush = (): Promise<void> => bounded.forceFlush().catch(() => undefined);
  const before = spansDropped();
  return { collector, lines, clock, end, flush, dropped: () => spansDropped() - before };
}

const REFUSED = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:4318 secret'), { code: 'ECONNREFUSED' });

describe('spans that ended', () => {
  it('reach the collector, and nothing is said', async () => {
    const { collector, end, flush, lines, dropped } = start();
    end(700);
    await flush();
    expect([collector.taken.length, dropped(), lines]).toEqual([700, 0, []]);
  });

  it('wait while the collector does not answer, up to the limit, and the others are counted', async () => {
    const { collector, end, dropped } = start();
    collector.holds = true;
    end(SPANS_WAITING_MAX + 100);
    expect(dropped()).toBe(100);
    expect(collector.held).toHaveLength(1);
    collector.release();
  });

  it('have room again once those before them were taken', async () => {
    const { collector, end, flush, dropped } = start();
    collector.holds = true;
    end(SPANS_WAITING_MAX);
    collector.release();
    await flush();
    end(1);
    await flush();
    expect([collector.taken.length, dropped()]).toEqual([SPANS_WAITING_MAX + 1, 0]);
  });

  it('are counted as dropped when the collector refuses them', async () => {
    const { collector, end, flush, dropped } = start();
    collector.failing = REFUSED;
    end(3);
    await flush();
    expect(dropped()).toBe(3);
  });
});

describe('the log', () => {
  it('has one line a minute of a collector that is away, and nothing of what it answered', async () => {
    const { collector, end, flush, lines, clock } = start();
    collector.failing = REFUSED;
    for (let second = 0; second < 180; second += 1) {
      clock.nowMs = second * 1_000;
      end(2);
      await flush();
    }
    expect(lines).toEqual([
      'the collector does not take spans: ECONNREFUSED; 2 more were dropped',
      'the collector does not take spans: ECONNREFUSED; 120 more were dropped',
      'the collector does not take spans: ECONNREFUSED; 120 more were dropped',
    ]);
  });

  it('tells once that the collector is back, and no sooner than a minute after the line before', async () => {
    const { collector, end, flush, lines, clock } = start();
    collector.failing = REFUSED;
    end(1);
    await flush();
    collector.failing = undefined;
    for (const nowMs of [1_000, 59_999, 60_000, 60_001, 200_000]) {
      clock.nowMs = nowMs;
      end(1);
      await flush();
    }
    expect(lines.slice(1)).toEqual(['the collector takes spans again; 0 more were dropped']);
  });

  it('has no more than a line a minute of one that comes and goes', async () => {
    const { collector, end, flush, lines, clock } = start();
    for (let second = 0; second < 119; second += 1) {
      clock.nowMs = second * 1_000;
      collector.failing = second % 2 === 0 ? REFUSED : undefined;
      end(1);
      await flush();
    }
    expect(lines).toHaveLength(2);
  });

  it('names an error that has no code by its kind', async () => {
    const { collector, end, flush, lines } = start();
    collector.failing = new TypeError('a secret');
    end(1);
    await flush();
    expect(lines).toEqual(['the collector does not take spans: TypeError; 1 more were dropped']);
  });
});
