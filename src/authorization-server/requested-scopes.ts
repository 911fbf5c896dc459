// Validates the requested scopes (API 26.1 to 26.15): known scopes only, `openid` among them.

import { scopes } from '../contract/scopes.ts';

/** The scope of a request without one (RFC 6749 section 3.3). */
export const defaultScope = 'openid';

/** Why the `scope` of a request is invalid; undefined: it is valid. */
export function scopeProblem(given: string): string | undefined {
  const names = given.split(' ').filter(Boolean);
  const known: readonly string[] = scopes;
  if (!names.includes('openid')) return 'the scope must include openid';
  const index = names.findIndex((name) => !known.includes(name));
  // The message does not repeat the request, which may come from anybody.
  return index < 0 ? undefined : `${placeOf(index)} is not one of this service`;
}

function placeOf(index: number): string {
  const word = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'][index];
  return word === undefined ? `scope number ${index + 1}` : `the ${word} scope`;
}
