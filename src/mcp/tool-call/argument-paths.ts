// Where an argument lies among all of them: `files[2].name`.

import { memberOf } from '../members.ts';

/** A member whose own name has a dot is not found. */
export function keysOf(path: string): string[] {
  return path.split(/\.|\[(\d+)\]/).filter((key) => key !== undefined && key !== '');
}

/** The value at a path; undefined: it leads nowhere. */
export function memberAt(root: unknown, path: string): unknown {
  return keysOf(path).reduce(memberOf, root);
}
