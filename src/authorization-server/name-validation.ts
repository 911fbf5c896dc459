// Validates display names, workspace slugs and email addresses.

import { isReservedWorkspace } from '../contract/workspace.ts';
import { limits } from '../limits.ts';

/**
 * Why a display name is invalid; undefined: it is valid. Bidirectional and invisible characters
 * could make one application look like another.
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

/**
 * Why the name of a person is invalid. Alphabets with letters that look the same are not mixed: a
 * Cyrillic "\u0430da" would pass for "ada".
 */
export function personNameProblem(name: string): string | undefined {
  const mixed = lookalikes.filter((alphabet) => alphabet.test(name)).length > 1;
  return displayNameProblem(name) ?? (mixed ? 'must have letters of one alphabet' : undefined);
}

const lookalikes = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/** Why a workspace slug is invalid; undefined: it is valid. */
export function slugProblem(text: string): string | undefined {
  if (isReservedWorkspace(text)) return 'is the path of something else: choose another slug';
  // Dots are path segments, and `__proto__` cannot be an object key.
  const isOdd = ['.', '..', '__proto__'].includes(text);
  return !isOdd && /^[^\s\p{C}?#%\\/]{1,200}$/u.test(text)
    ? undefined
    : 'must be a slug, for example "my-team"';
}

/** Why an email address is invalid; undefined: it is valid. Deliverability is not checked. */
export function emailAddressProblem(text: string): string | undefined {
  return /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[^\s@<>()[\]\\,;:"\p{C}]{1,189}$/u.test(text)
    ? undefined
    : 'must be an email address, for example ada@example.com';
}
