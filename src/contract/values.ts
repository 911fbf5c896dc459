// Values of which nothing is known yet.

export type Members = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value came from JSON: files and bytes are left as they are. */
export function isPlain(value: unknown): value is Members {
  return isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

/** Whether a value has more than so many values in it. */
export function isLarger(value: unknown, most: number): boolean {
  let left = most;
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && !isPlain(next)) continue;
    const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    left -= members.length;
    if (left < 0) return true;
    for (const member of members) if (typeof member === 'object') waiting.push(member);
  }
  return false;
}
