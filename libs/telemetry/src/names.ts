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
  networkTransport: 'network.transport',
  networkProtocol: 'network.protocol.name',
  networkProtocolVersion: 'network.protocol.version',
  clientAddress: 'client.address',
  clientPort: 'client.port',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  httpMethod: 'http.request.method',
  httpStatus: 'http.response.status_code',
  urlPath: 'url.path',
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

/** A tool's result that says it failed (`isError`). */
export const TOOL_ERROR = 'tool_error';

/** What the replay service is asked: one of its rpc patterns without the version, such as `roundhouse.replay.claim`. */
export function replaySpanName(pattern: string): string {
  return `roundhouse.replay.${pattern.slice(pattern.lastIndexOf('.') + 1)}`;
}

/** `{method} {target}`; the target only when it is a known tool or prompt, so that names stay bounded (OBS-1, OBS-10). */
export function spanName(method: string, knownTarget: string | undefined): string {
  return knownTarget === undefined ? method : `${method} ${knownTarget}`;
}
