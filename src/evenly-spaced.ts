// Chooses some of many, spread over all of them.

/** At most `countMax` of the items, in their order: the middle of each of as many equal parts. */
export function evenlySpaced<Item>(items: readonly Item[], countMax: number): readonly Item[] {
  const places = evenlySpacedPlaces(items.length, countMax);
  return places.flatMap((place) => items.slice(place, place + 1));
}

/** The places of these among `length` items, from 0. */
export function evenlySpacedPlaces(length: number, countMax: number): readonly number[] {
  const count = Math.min(countMax, length);
  const step = length / count;
  return Array.from({ length: count }, (_, part) => Math.floor((part + 0.5) * step));
}
