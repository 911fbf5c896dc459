// Which scopes may be asked for (first document, Authentication): known ones, openid among them.

import { scopes } from '../contract/scopes.ts';

/** What a request that names none asks for (RFC 6749 section 3.3). */
export const defaultScope = 'openid';

/** What is wrong with the `scope` of a request, in our words; undefined: nothing. */
export function scopeProblem(given: string): string | undefined {
  const names = given.split(' ').filter(Boolean);
  const known: readonly string[] = scopes;
  if (!names.includes('openid')) return 'the scope must include openid';
  if (names.some((name) => !known.includes(name))) return 'the scope names an unknown one';
  return undefined;
}
