// A cache that drops the least recently used entries when it holds too much.

export interface LruCacheOptions<Value> {
  /** What the entries may weigh together: their number unless `weightOf` is given. */
  readonly weightMax: number;
  /** What an entry weighs, for example its bytes; 1 unless given. */
  readonly weightOf?: (value: Value) => number;
}

export class LruCache<Key, Value> {
  /** The least recently used first. */
  readonly #entries = new Map<Key, Value>();
  readonly #weightMax: number;
  readonly #weightOf: (value: Value) => number;
  #weight = 0;

  constructor({ weightMax, weightOf = () => 1 }: LruCacheOptions<Value>) {
    this.#weightMax = weightMax;
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value of a key, which counts as used now. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** The value of a key, which does not count as used. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Adds or replaces an entry. One that alone weighs too much is not kept. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weightOf(value);
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#weightMax) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weightOf(value);
  }
  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }
}
