/** What the router says of itself in every result: its own name, never a worker's. */
import { META } from '@roundhouse/protocol';

export const SERVER_INFO = { name: 'roundhouse', title: 'Roundhouse', version: '0.1.0' };

/** JSON text of a result's `_meta` without anything from a worker; built once. */
export const RESULT_META = JSON.stringify({ [META.serverInfo]: SERVER_INFO });

/** The same with a worker's own keys, of which none may pose as the protocol's. */
export function resultMeta(own: Readonly<Record<string, unknown>> | undefined): string {
  if (own === undefined) return RESULT_META;
  const kept = Object.entries(own).filter(([key]) => !isReservedKey(key));
  return JSON.stringify(Object.fromEntries([...kept, [META.serverInfo, SERVER_INFO]]));
}

/** a prefix whose second label is `mcp` or `modelcontextprotocol` is the protocol's, as are the bare trace keys. */
function isReservedKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return ['progressToken', 'traceparent', 'tracestate', 'baggage'].includes(key);
  const second = key.slice(0, slash).split('.')[1];
  return second === 'mcp' || second === 'modelcontextprotocol';
}
