// Caches for some seconds what the authorization server said of a token.

import type { Clock } from '../../clock.ts';
import type { AccessToken, VerifyAccessToken } from '../../contract/access-token.ts';
import { limits } from '../../limits.ts';
import type { Secret } from '../../secret.ts';
import { Semaphore } from '../../semaphore.ts';

/** Whose token it is; `network` presents it, as `clientNetwork` names it. */
export type VerifyPresented = (
  presented: Secret,
  network: string,
) => Promise<AccessToken | undefined>;

/**
 * The same check, asked once for all who wait for the same token, and again only after
 * `tokenCacheMs`: so long may a revoked token be good still. A token that is not known is asked for
 * again after `tokenCacheMissMs`. A check that failed is not remembered. Tokens are kept as hashes.
 * Many checks at once wait for each other by network, and those of whoever was known by person: so
 * made-up tokens keep only their own network waiting, and nobody who is known.
 */
export function rememberTokens(verify: VerifyAccessToken, clock: Clock): VerifyPresented {
  // Separate caches, so that made-up tokens evict no valid one.
  const good = new Remembered<AccessToken>(limits.tokenCacheMs, clock);
  const bad = new Remembered<undefined>(limits.tokenCacheMissMs, clock);
  const people = new Remembered<string>(limits.tokenHolderKnownMs, clock);
  const asking = new Map<string, Promise<AccessToken | undefined>>();
  const checks = new Semaphore({
    permitsMax: limits.tokenChecksAtOnceMax,
    callerPermitsMax: limits.tokenChecksOfCallerMax,
  });
  const ask: VerifyPresented = async (presented, network) => {
    const person = people.get(presented.hash());
    const name = person ? `person ${person.value}` : `network ${network}`;
    return checks.run(() => verify(presented), { caller: { name } });
  };
  return async (presented, network) => {
    const name = presented.hash();
    const known = good.get(name) ?? bad.get(name);
    if (known !== undefined) return known.value;
    const running = asking.get(name);
    if (running !== undefined) return running;
    const asked = ask(presented, network);
    asking.set(name, asked);
    try {
      const token = await asked;
      if (token === undefined) {
        bad.set(name, undefined);
        return undefined;
      }
      good.set(name, token);
      people.set(name, token.subject);
      return token;
    } finally {
      asking.delete(name);
    }
  };
}

/** Values for a time; the oldest go first where there are too many. */
class Remembered<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();
  readonly #keepMs: number;
  readonly #clock: Clock;

  constructor(keepMs: number, clock: Clock) {
    this.#keepMs = keepMs;
    this.#clock = clock;
  }

  get(name: string): { readonly value: Value } | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined || this.#clock.monotonic() < entry.untilMs) return entry;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, value: Value): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, untilMs: this.#clock.monotonic() + this.#keepMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > limits.tokenCacheEntriesMax && oldest !== undefined) {
      this.#entries.delete(oldest);
    }
  }
}
