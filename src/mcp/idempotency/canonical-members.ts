// Equal arguments give equal JSON.

/**
 * The members sorted by name, without undefined ones. Deeper members keep their order: the steps of
 * a version run in the order in which they are given.
 */
export function canonicalMembers(members: object): readonly (readonly [string, unknown])[] {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
