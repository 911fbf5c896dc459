// Chooses some of many, spread over all of them.

/** At most `countMax` of the items, in their order: the middle of each of as many equal parts. */
export function evenlySpaced<Item>(items: readonly Item[], countMax: number): readonly Item[] {
  const count = Math.min(countMax, items.length);
  const step = items.length / count;
  const places = Array.from({ length: count }, (_, part) => Math.floor((part + 0.5) * step));
  return places.flatMap((place) => items.slice(place, place + 1));
}
