// Values whose type is unknown: what a text says in JSON, whether they are objects, as JSON has
// them, and which members they have.

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty object. */
export function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** What a text says in JSON; undefined: it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

/** An answer as the facts of a result: a list or a plain value gets a name. */
export function asRecord(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null || body === '') return {};
  return typeof body === 'object' && !Array.isArray(body) ? { ...body } : { answer: body };
}

/** The own member of that name; undefined: it has none. */
export function memberOf(holder: unknown, key: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}
