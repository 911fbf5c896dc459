// Reads members of unchecked values.

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
