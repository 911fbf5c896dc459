// What of the members of an event filters can find.

import type { Scalar } from '../value-conditions.ts';

/**
 * Text, numbers, booleans; but not 1e999, for which JSON has no word, and no half of a character,
 * for which UTF-8 has none: in the database they would be something else.
 */
export function isFilterable(key: string, value: unknown): value is Scalar {
  if (typeof value === 'string') return value.isWellFormed() && key.isWellFormed();
  const isKept = typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean';
  return isKept && key.isWellFormed();
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
