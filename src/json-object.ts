// Checks of values whose type is unknown: whether they are objects, as JSON has them.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty object. */
export function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Whether a value is an object that is no instance of a class such as Date or Uint8Array. */
export function isPlainObject(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Whether a value can hold other values. */
export function isObjectOrArray(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
