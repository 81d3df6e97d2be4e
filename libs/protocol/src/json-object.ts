/** JSON objects as JSON.parse makes them: any key may be the caller's, `__proto__` included. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** An object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own member, never an inherited one such as `constructor`. */
export function ownMember(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own member, also for the key `__proto__`, where plain assignment would set the prototype. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
