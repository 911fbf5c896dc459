// Bounds the size and depth of arguments before other code walks through them.

import { isObjectOrArray } from '../../json-object.ts';

interface Bounds {
  readonly elementsMax: number;
  readonly depthMax: number;
}

/**
 * What a value has too much of; undefined: it is within the bounds. Not recursive, since deep
 * values would exhaust the stack.
 */
export function excessOf(value: unknown, bounds: Bounds): 'depth' | 'elements' | undefined {
  let elements = 1;
  let holders: readonly object[] = isObjectOrArray(value) ? [value] : [];
  for (let depth = 1; holders.length > 0; depth += 1) {
    const inner: object[] = [];
    const before = elements;
    for (const holder of holders) {
      for (const member of Object.values(holder)) {
        elements += 1;
        if (isObjectOrArray(member)) inner.push(member);
      }
    }
    if (depth > bounds.depthMax && elements > before) return 'depth';
    if (elements > bounds.elementsMax) return 'elements';
    holders = inner;
  }
  return undefined;
}
