// One text for equal values, whatever the order of the members of their objects.

/** As JSON, with the members of all objects in the order of their names. */
export function orderedJson(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, unknown] => [name, inOrder(member)])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
