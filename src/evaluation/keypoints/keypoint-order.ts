// Which keypoint is which: labels, models and files name them in orders of their own, or not at
// all.

/**
 * Of each wanted keypoint, its place among the given ones; -1: it is not given. Where one side has
 * numbers for names and as many, they are in the same order. Undefined: none is common.
 */
export function keypointPlaces(
  wanted: readonly string[],
  given: readonly string[],
): readonly number[] | undefined {
  const byName = wanted.map((name) => given.indexOf(name));
  if (wanted.length === 0 || byName.some((place) => place >= 0)) return byName;
  const isNumbered = areNumbers(wanted) || areNumbers(given);
  return isNumbered && wanted.length === given.length ? [...wanted.keys()] : undefined;
}

/** x, y and visibility of each; what is not given is NaN, and counts as not found. */
export function inOrder(numbers: ArrayLike<number>, places: readonly number[]): number[] {
  return places.flatMap((place) =>
    [0, 1, 2].map((at) => (place < 0 ? undefined : numbers[place * 3 + at]) ?? Number.NaN),
  );
}

export function areNumbers(names: readonly string[]): boolean {
  return names.every((name, place) => name === String(place));
}
