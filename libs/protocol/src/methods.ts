/** The closed list of requests that MCP 2026-07-28 defines and we serve; what else comes is -32601. */

export const MODERN_METHODS = [
  'server/discover',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'subscriptions/listen',
] as const;

export type ModernMethod = (typeof MODERN_METHODS)[number];

/** The only methods that may answer `input_required` and take answers (basic/patterns/mrtr). */
export const MULTI_ROUND_METHODS = [
  'tools/call',
  'prompts/get',
  'resources/read',
] as const satisfies readonly ModernMethod[];

export type MultiRoundMethod = (typeof MULTI_ROUND_METHODS)[number];

const KNOWN = new Set<unknown>(MODERN_METHODS);
const MULTI_ROUND = new Set<unknown>(MULTI_ROUND_METHODS);

/** The `params` field that `Mcp-Name` mirrors (transports/streamable-http). */
const NAME_PARAMS = new Map<unknown, 'name' | 'uri'>([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Case-sensitive, as method names are. */
export function isModernMethod(method: unknown): method is ModernMethod {
  return KNOWN.has(method);
}

export function isMultiRoundMethod(method: unknown): method is MultiRoundMethod {
  return MULTI_ROUND.has(method);
}

/** Which field of `params` the `Mcp-Name` header must equal; undefined when the method needs no such header. */
export function nameParamOf(method: unknown): 'name' | 'uri' | undefined {
  return NAME_PARAMS.get(method);
}
