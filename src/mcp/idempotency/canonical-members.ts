// JSON that is the same text for equal arguments.

/**
 * The members in the order of their names, and those without a value left out. Deeper ones keep
 * their order: the steps of a version are done in the order in which they are given.
 */
export function canonicalMembers(members: object): readonly (readonly [string, unknown])[] {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
