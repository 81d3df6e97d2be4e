/** The span of one question of a router, when the router records its own and says so. */
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReplayTrace } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { ATTRIBUTE, TRACER_NAME, isSampled, parentFrom, replaySpanName } from '@roundhouse/telemetry';

const tracer = trace.getTracer(TRACER_NAME);

export function underClaimSpan<R extends object>(
  pattern: string,
  carried: ReplayTrace | undefined,
  run: () => Promise<R>,
): Promise<R> {
  return carried === undefined || !isSampled(carried) ? run() : record(pattern, carried, run);
}

async function record<R extends object>(pattern: string, carried: ReplayTrace, run: () => Promise<R>): Promise<R> {
  const attributes = { [ATTRIBUTE.flowId]: carried.flowId, [ATTRIBUTE.networkTransport]: 'tcp' };
  const span = tracer.startSpan(replaySpanName(pattern), { kind: SpanKind.SERVER, attributes }, parentFrom(carried));
  try {
    const answer = await run();
    if ('status' in answer) span.setAttribute(ATTRIBUTE.replayOutcome, String(answer.status));
    return answer;
  } catch (thrown) {
    span.setAttribute(ATTRIBUTE.errorType, RoundhouseError.from(thrown).reason);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw thrown;
  } finally {
    span.end();
  }
}
