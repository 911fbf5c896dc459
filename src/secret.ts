// A secret value: it prints as [secret] if it is logged or serialized by mistake.

import { createHash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

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
    return createHash('sha256').update(this.#value).digest('base64url');
  }

  /** Whether that is the hash of this secret; takes the same time for every wrong one. */
  hasHash(hash: string): boolean {
    const expected = Buffer.from(hash);
    const found = Buffer.from(this.hash());
    return expected.length === found.length && timingSafeEqual(expected, found);
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

  [inspect.custom](): string {
    return '[secret]';
  }
}
