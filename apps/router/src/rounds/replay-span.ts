/** The span of what the replay service is asked in the course of a round, and how the service learns to hang its own there. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import type { ReplayTrace } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { ATTRIBUTE, TRACER_NAME, carrierOf, replaySpanName } from '@roundhouse/telemetry';

/** An exchange's span and the flow it belongs to, if to any. */
export interface Traced {
  readonly span: Span;
  readonly flow?: { readonly flowId: string };
}

const tracer = trace.getTracer(TRACER_NAME);

/** `ask` gets what to send along; nothing when the round is not recorded, or when there is no round. */
export function underReplaySpan<T extends object>(
  pattern: string,
  traced: Traced | undefined,
  ask: (trace: ReplayTrace | undefined) => Promise<T>,
): Promise<T> {
  return traced?.flow === undefined || !traced.span.isRecording() ? ask(undefined) : record(pattern, traced, ask);
}

async function record<T extends object>(
  pattern: string,
  { span: parent, flow }: Traced,
  ask: (trace: ReplayTrace | undefined) => Promise<T>,
): Promise<T> {
  const flowId = flow?.flowId ?? '';
  const attributes = { [ATTRIBUTE.flowId]: flowId, [ATTRIBUTE.networkTransport]: 'tcp' };
  const context = trace.setSpan(ROOT_CONTEXT, parent);
  const span = tracer.startSpan(replaySpanName(pattern), { kind: SpanKind.CLIENT, attributes }, context);
  try {
    const answer = await ask({ ...carrierOf(span, undefined), flowId });
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
