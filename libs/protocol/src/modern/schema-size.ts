/** Whether a JSON Schema is small enough to hand to validators and clients, found without a call stack per level. */
import { SCHEMA_CHARS_MAX, SCHEMA_DEPTH_MAX, SCHEMA_NODES_MAX } from '../limits.js';

/** @returns which bound the schema breaks, in words; undefined when it breaks none. */
export function checkSchemaSize(schema: object): string | undefined {
  let level: readonly object[] = [schema];
  let nodes = 1;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > SCHEMA_DEPTH_MAX) return 'is nested too deeply';
    level = level.flatMap((node) => Object.values(node).filter(isNode));
    nodes += level.length;
    if (nodes > SCHEMA_NODES_MAX) return 'has too many nodes';
  }
  return JSON.stringify(schema).length > SCHEMA_CHARS_MAX ? 'is too long' : undefined;
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
