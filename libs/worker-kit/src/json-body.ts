/** The JSON text a call carries, parsed once. The router made it, so a bad one is a skewed peer, not an attack. */

/** The body as an object; undefined when it is something else. An own `__proto__` member stays an own member. */
export function readObject(body: string | undefined): Record<string, unknown> | undefined {
  if (body === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
