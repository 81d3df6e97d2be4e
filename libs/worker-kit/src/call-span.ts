/**
 * The span of one run on this worker, under the router's own (OBS-1). Made only when the router records its span: all
 * other calls pay for one look at a flag.
 */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, trace, type Attributes, type Span } from '@opentelemetry/api';
import type { CallReply, CallRequest } from '@roundhouse/contracts';
import { ATTRIBUTE, TOOL_ERROR, TRACER_NAME, isSampled, parentFrom, spanName } from '@roundhouse/telemetry';

const tracer = trace.getTracer(TRACER_NAME);

/** Undefined when there is nothing to record. The target is one that this worker serves, so it may name the span. */
export function startCallSpan(request: CallRequest): Span | undefined {
  if (request.trace === undefined || !isSampled(request.trace)) return undefined;
  const parent = parentFrom(request.trace);
  const span = tracer.startSpan(nameOf(request), { kind: SpanKind.SERVER }, parent ?? ROOT_CONTEXT);
  if (!span.isRecording()) return undefined;
  span.setAttributes(attributesOf(request));
  return span;
}

/** Runs a method so that what it records with OpenTelemetry hangs under the span, where a context manager is there. */
export function underCallSpan<T>(span: Span | undefined, run: () => T): T {
  return span === undefined ? run() : context.with(trace.setSpan(ROOT_CONTEXT, span), run);
}

export function endCallSpan(span: Span, reply: CallReply): void {
  const errorType = errorTypeOf(reply);
  if (errorType !== undefined) {
    span.setAttribute(ATTRIBUTE.errorType, errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  if (reply.kind === 'input_required') span.setAttribute(ATTRIBUTE.resultType, reply.kind);
  span.end();
}

function errorTypeOf(reply: CallReply): string | undefined {
  // What the caller got wrong is no failure of the worker (OBS-3).
  if (reply.kind === 'error') return CALLERS_FAULTS.has(reply.code) ? undefined : reply.code;
  return reply.kind === 'complete' && reply.isError === true ? TOOL_ERROR : undefined;
}

const CALLERS_FAULTS: ReadonlySet<string> = new Set(['unknown_target', 'resource_not_found', 'invalid_params']);

function nameOf({ method, target }: CallRequest): string {
  return spanName(method, method === 'tools/call' || method === 'prompts/get' ? target : undefined);
}

function attributesOf({ method, target, revision, flowId, round }: CallRequest): Attributes {
  return {
    [ATTRIBUTE.method]: method,
    [ATTRIBUTE.protocolVersion]: revision,
    [ATTRIBUTE.networkTransport]: 'tcp',
    ...(method === 'tools/call' && { [ATTRIBUTE.toolName]: target, [ATTRIBUTE.operationName]: 'execute_tool' }),
    ...(method === 'prompts/get' && { [ATTRIBUTE.promptName]: target }),
    ...(method === 'resources/read' && { [ATTRIBUTE.resourceUri]: target }),
    // A completion belongs to no flow.
    ...(flowId !== '' && { [ATTRIBUTE.flowId]: flowId, [ATTRIBUTE.round]: round }),
  };
}
