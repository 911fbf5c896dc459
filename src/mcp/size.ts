// How large a value may be before anything walks through it.

interface Bounds {
  readonly elementsMax: number;
  readonly depthMax: number;
}

/** What a value has too much of; undefined: it is within the bounds. Needs no stack. */
export function excessOf(value: unknown, bounds: Bounds): 'depth' | 'elements' | undefined {
  let elements = 1;
  let holders: readonly object[] = isHolder(value) ? [value] : [];
  for (let depth = 1; holders.length > 0; depth += 1) {
    const inner: object[] = [];
    const before = elements;
    for (const holder of holders) {
      for (const member of Object.values(holder)) {
        elements += 1;
        if (isHolder(member)) inner.push(member);
      }
    }
    if (depth > bounds.depthMax && elements > before) return 'depth';
    if (elements > bounds.elementsMax) return 'elements';
    holders = inner;
  }
  return undefined;
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
