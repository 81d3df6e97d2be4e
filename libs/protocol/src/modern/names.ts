/** Names of tools and prompts, as clients and headers carry them (server/tools, tool names). */
import { TOOL_NAME_CHARS_MAX } from '../limits.js';

const TOOL_NAME = new RegExp(`^[A-Za-z0-9_.-]{1,${TOOL_NAME_CHARS_MAX}}$`);
/** C0 and C1 controls and the two line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Case-sensitive; `constructor` and `__proto__` are names like any other, so look names up in a Map. */
export function isToolName(name: unknown): name is string {
  return typeof name === 'string' && TOOL_NAME.test(name);
}

/** The protocol leaves prompt names open; ours are printable and as short as tool names. */
export function isPromptName(name: unknown): name is string {
  if (typeof name !== 'string' || name.length > TOOL_NAME_CHARS_MAX) return false;
  return name.trim() !== '' && name.isWellFormed() && !UNPRINTABLE.test(name);
}
