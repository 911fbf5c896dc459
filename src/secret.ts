// A secret value: it prints as [secret] if it is logged or serialized by mistake.

/** Most starts of a stdio server need none of it, and it is slow to load. */
const nodeCrypto = () => process.getBuiltinModule('node:crypto');

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it only where the value goes on the wire or into a hash. */
  reveal(): string {
    return this.#value;
  }

  /**
   * SHA-256 as 43 characters of base64url: how a random secret is kept and looked for. It needs no
   * salt for 256 bits of chance.
   */
  hash(): string {
    return nodeCrypto().createHash('sha256').update(this.#value).digest('base64url');
  }

  /** Whether that is the hash of this secret; takes the same time for every wrong one. */
  hasHash(hash: string): boolean {
    const expected = Buffer.from(hash);
    const found = Buffer.from(this.hash());
    return expected.length === found.length && nodeCrypto().timingSafeEqual(expected, found);
  }

  equals(other: Secret): boolean {
    return this.hasHash(other.hash());
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  /** As `inspect.custom` of node:util, which would be one more module to load. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
