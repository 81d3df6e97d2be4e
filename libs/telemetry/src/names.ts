/**
 * Span and attribute names, pinned here as text because the incubating constants of the semantic-conventions package
 * move between releases (OpenTelemetry GenAI conventions, MCP section).
 */
export const TRACER_NAME = 'roundhouse';

export const ATTRIBUTE = {
  method: 'mcp.method.name',
  protocolVersion: 'mcp.protocol.version',
  resourceUri: 'mcp.resource.uri',
  resultType: 'mcp.result.type',
  requestId: 'jsonrpc.request.id',
  toolName: 'gen_ai.tool.name',
  promptName: 'gen_ai.prompt.name',
  operationName: 'gen_ai.operation.name',
  errorType: 'error.type',
  statusCode: 'rpc.response.status_code',
  serverAddress: 'server.address',
  flowId: 'roundhouse.flow.id',
  round: 'roundhouse.mrtr.round',
  thinkTimeMs: 'roundhouse.mrtr.think_time_ms',
  linkKind: 'roundhouse.link.kind',
  replayOutcome: 'roundhouse.replay.outcome',
  group: 'roundhouse.worker.group',
} as const;

export const LINK_KIND = {
  previousRound: 'mrtr.previous_round',
  origin: 'mrtr.origin',
  originalExecution: 'mrtr.original_execution',
  ambientHttp: 'http.ambient',
} as const;

/** `{method} {target}`; the target only when it is a known tool or prompt, so that names stay bounded (OBS-1, OBS-10). */
export function spanName(method: string, knownTarget: string | undefined): string {
  return knownTarget === undefined ? method : `${method} ${knownTarget}`;
}
