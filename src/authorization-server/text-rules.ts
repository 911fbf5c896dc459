// What names may be like: of people, of applications, of workspaces.

import { isReservedWorkspace } from '../contract/workspace.ts';
import { limits } from '../limits.ts';

/**
 * What is wrong with a name that people read; undefined: nothing. Characters that turn or hide
 * text could make one application look like another.
 */
export function displayNameProblem(name: string): string | undefined {
  const { length } = [...name];
  if (length === 0 || length > limits.displayNameCharactersMax) {
    return `must have 1 to ${limits.displayNameCharactersMax} characters`;
  }
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/u.test(name)) {
    return 'must have no invisible characters or line breaks';
  }
  return undefined;
}

/** What is wrong with the slug of a workspace; undefined: nothing. */
export function slugProblem(text: string): string | undefined {
  if (isReservedWorkspace(text)) return 'is the path of something else: choose another slug';
  // Dots are steps in a path, and the other a key that no object keeps.
  const isOdd = ['.', '..', '__proto__'].includes(text);
  return !isOdd && /^[^\s\p{C}?#%\\/]{1,200}$/u.test(text)
    ? undefined
    : 'must be a slug, for example "my-team"';
}

/** What is wrong with an address for mail; undefined: nothing. Whether it exists, nobody asks. */
export function emailAddressProblem(text: string): string | undefined {
  return /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[^\s@<>()[\]\\,;:"\p{C}]{1,189}$/u.test(text)
    ? undefined
    : 'must be an email address, for example ada@example.com';
}
