// Which scopes may be asked for (API 26.1 to 26.15): known ones, openid among them.

import { scopes } from '../contract/scopes.ts';

/** What a request that names none asks for (RFC 6749 section 3.3). */
export const defaultScope = 'openid';

/** What is wrong with the `scope` of a request, in our words; undefined: nothing. */
export function scopeProblem(given: string): string | undefined {
  const names = given.split(' ').filter(Boolean);
  const known: readonly string[] = scopes;
  if (!names.includes('openid')) return 'the scope must include openid';
  const index = names.findIndex((name) => !known.includes(name));
  // What was sent is not repeated: it is anybody's.
  return index < 0 ? undefined : `${placeOf(index)} is not one of this service`;
}

function placeOf(index: number): string {
  const word = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'][index];
  return word === undefined ? `scope number ${index + 1}` : `the ${word} scope`;
}
