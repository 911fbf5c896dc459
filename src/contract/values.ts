// Values of which nothing is known yet.

import { isPlainObject } from '../json-object.ts';

/** Whether a value has more than so many values in it. */
export function isLarger(value: unknown, most: number): boolean {
  let left = most;
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && !isPlainObject(next)) continue;
    const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    left -= members.length;
    if (left < 0) return true;
    for (const member of members) if (typeof member === 'object') waiting.push(member);
  }
  return false;
}
