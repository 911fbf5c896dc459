// Numbers in sets that grow together.

export class DisjointSets {
  readonly #parents: Int32Array;

  /** Of the numbers below `count`, each in a set of its own. */
  constructor(count: number) {
    this.#parents = Int32Array.from({ length: count }, (_, place) => place);
  }

  areOne(a: number, b: number): boolean {
    return this.#root(a) === this.#root(b);
  }

  unite(a: number, b: number): void {
    const [one, other] = [this.#root(a), this.#root(b)];
    this.#parents[Math.max(one, other)] = Math.min(one, other);
  }

  /** Those of two and more: ascending, by their first. */
  groups(): readonly (readonly number[])[] {
    const places = Array.from(this.#parents, (_, place) => place);
    const sets = Map.groupBy(places, (place) => this.#root(place));
    return [...sets.values()].filter(({ length }) => length > 1);
  }

  #root(place: number): number {
    let at = place;
    for (;;) {
      const parent = this.#parents[at] ?? at;
      if (parent === at) return at;
      const above = this.#parents[parent] ?? parent;
      this.#parents[at] = above;
      at = above;
    }
  }
}
