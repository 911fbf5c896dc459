// How large a value may be before anything walks through it.

interface Bounds {
  readonly elementsMax: number;
  readonly depthMax: number;
}

/** What a value has too much of; undefined: it is within the bounds. Needs no stack. */
export function excessOf(value: unknown, bounds: Bounds): 'depth' | 'elements' | undefined {
  let elements = 0;
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    elements += level.length;
    if (depth > bounds.depthMax) return 'depth';
    if (elements > bounds.elementsMax) return 'elements';
    level = level.flatMap((member) =>
      typeof member === 'object' && member !== null ? Object.values(member) : [],
    );
  }
  return undefined;
}
