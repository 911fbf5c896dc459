// Keeps the most similar vectors of those that are shown to it one by one.

export interface Near {
  readonly ordinal: number;
  /** Cosine of the angle to the query: 1 for the same direction. */
  readonly similarity: number;
}

export class NearestVectors {
  readonly #countMax: number;
  #found: Near[] = [];
  /** Below it nothing is kept any more. */
  #least = Number.NEGATIVE_INFINITY;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  offer(ordinal: number, similarity: number): void {
    if (similarity < this.#least) return;
    this.#found.push({ ordinal, similarity });
    if (this.#found.length >= this.#countMax * 4) this.#keepBest();
  }

  /** The most similar first; of equally similar ones the one of the highest number. */
  get best(): readonly Near[] {
    this.#keepBest();
    return this.#found;
  }

  #keepBest(): void {
    this.#found = this.#found
      .toSorted((a, b) => b.similarity - a.similarity || b.ordinal - a.ordinal)
      .slice(0, this.#countMax);
    const last = this.#found.at(-1);
    if (this.#found.length === this.#countMax && last) this.#least = last.similarity;
  }
}
