// Where an argument lies among all of them: `files[2].name`.

/** A member whose own name has a dot is not found. */
export function keysOf(path: string): string[] {
  return path.split(/\.|\[(\d+)\]/).filter((key) => key !== undefined && key !== '');
}

/** The own member of that name; undefined where there is none. */
export function memberOf(holder: unknown, key: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}

/** The value at a path; undefined: it leads nowhere. */
export function memberAt(root: unknown, path: string): unknown {
  return keysOf(path).reduce(memberOf, root);
}
