// The session: keeps a valid access token for all calls of this process, and shares it with others.

import { untilAborted } from '../abort.ts';
import type { ValidateAnswer } from '../contract/access-token.ts';
import { asFoveaError, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import type { Binding } from './profile-index.ts';
import {
  endedError,
  type RefreshOptions,
  refreshOnce,
  standing,
  underLock,
} from './token-refresh.ts';
import type { Stored, TakeLock, Tokens } from './token-store.ts';
import { withValidated } from './token-validation.ts';

export interface Session {
  /**
   * A token that is good for now; undefined: signed out. Throws `unauthenticated` once a sign-in
   * has ended, and what the authorization server's failure is otherwise.
   */
  accessToken(signal?: AbortSignal): Promise<Secret | undefined>;
  /** After a 401 for `refused`: another token, refreshed once at most; undefined: there is none. */
  renew(refused: Secret, signal?: AbortSignal): Promise<Secret | undefined>;
  /** The subject of the tokens; undefined: signed out, or the service gave no proof. */
  subject(signal?: AbortSignal): Promise<string | undefined>;
  /** Throws `internal` where tokens could not be kept: before a person signs in for nothing. */
  ready(): Promise<void>;
  status(): Promise<SessionStatus>;
  /** Takes over the tokens of a sign-in that just ended well. */
  begin(tokens: Tokens): Promise<void>;
  /** Revokes both tokens and forgets them; `revoked` is false where that could not be done. */
  end(signal?: AbortSignal): Promise<{ readonly revoked: boolean; readonly wasSignedIn: boolean }>;
}

/** Whose tokens are in use, in words that prove nothing. */
export interface Account {
  /** Stays the same for all sign-ins of one person, where the service proved the identity. */
  readonly person: string;
  /** Changes with each sign-in. */
  readonly signIn: string;
}

export interface SessionStatus {
  readonly status: 'signed_in' | 'signed_out';
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly string[];
  readonly workspaceUrl: string | undefined;
  /** The name of the SecretStore. */
  readonly store: string;
  readonly profile: string;
  /** Why it is signed out, where that is not by choice. */
  readonly error: string | undefined;
  /** The tokens are refused, or cannot be renewed: a new sign-in may take their place. */
  readonly isEnding?: boolean | undefined;
}

export interface SessionOptions extends RefreshOptions {
  readonly takeLock: TakeLock;
  readonly profile: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The address of the service that gets the tokens. */
  readonly service: string;
  /** RFC 7009, both tokens; false where that could not be done. */
  readonly revoke: (tokens: Tokens, signal: AbortSignal) => Promise<boolean>;
  /** `/oauth/validate`; undefined: this service has no such address. */
  readonly validate: (token: Secret, signal: AbortSignal) => Promise<ValidateAnswer | undefined>;
}

/** Of this process: it can be told to end. */
export interface OwnSession extends Session {
  /** Waits for a refresh that is on its way: the answer to a spent refresh token is not lost. */
  settled(): Promise<void>;
  /** Undefined: nobody is signed in. Throws `internal` where the tokens cannot be read. */
  account(): Promise<Account | undefined>;
}

/** Reads and sends nothing before it is used. */
export function createSession(options: SessionOptions): OwnSession {
  return new TokenSession(options);
}

class TokenSession implements OwnSession {
  readonly #options: SessionOptions;
  readonly #binding: Binding;
  /** Cached, so that the keychain is not asked for each call. */
  #known: Stored | undefined;
  /** Refreshed tokens that could not be stored; the revision is that of the tokens they replace. */
  #unsaved: Stored | undefined;
  #reading: Promise<Stored | undefined> | undefined;
  #flight: Promise<Stored | undefined> | undefined;
  /** Monotonic; a refresh that failed early is not tried again with every call. */
  #tryAgainAt = Number.NEGATIVE_INFINITY;
  /** The token that was renewed after a 401; if it is refused too, another would not help. */
  #renewed: { readonly token: Secret; readonly at: number } | undefined;
  /** The token that a service refused last, and that could not be renewed. */
  #refused: Secret | undefined;

  constructor(options: SessionOptions) {
    const { profile, issuer, clientId, service } = options;
    this.#options = options;
    this.#binding = { profile, issuer, clientId, service };
  }

  async accessToken(signal?: AbortSignal): Promise<Secret | undefined> {
    const { clock } = this.#options;
    const stored = await untilAborted(this.#current(), signal, cancelled);
    if (stored === undefined) return undefined;
    const { isDue, isOver, canRefresh } = standing(stored.tokens, clock);
    const isWaiting = !isOver && clock.monotonic() < this.#tryAgainAt;
    const isUnsaved = this.#unsaved !== undefined;
    if (isWaiting || !(isUnsaved || (isDue && canRefresh))) {
      if (isOver) throw endedError();
      return stored.tokens.accessToken;
    }
    const next = await untilAborted(this.#refreshEarly(stored), signal, cancelled);
    if (next === undefined) return undefined;
    if (standing(next.tokens, clock).isOver) throw endedError();
    return next.tokens.accessToken;
  }

  async renew(refused: Secret, signal?: AbortSignal): Promise<Secret | undefined> {
    const { clock } = this.#options;
    if (this.#isFutile(refused)) {
      this.#refused = refused;
      return undefined;
    }
    for (;;) {
      const isJoined = this.#flight !== undefined;
      const next = await untilAborted(this.#fly(refused), signal, cancelled);
      if (next === undefined) return undefined;
      const { accessToken, ended } = next.tokens;
      if (!accessToken.equals(refused) && !standing(next.tokens, clock).isOver) {
        this.#renewed = { token: accessToken, at: clock.monotonic() };
        return accessToken;
      }
      // A flight that was under way did not know of the refusal.
      if (isJoined && ended === undefined) continue;
      this.#refused = refused;
      throw endedError();
    }
  }

  async subject(signal?: AbortSignal): Promise<string | undefined> {
    return (await untilAborted(this.#current(), signal, cancelled))?.tokens.subject;
  }

  async account(): Promise<Account | undefined> {
    const stored = await this.#current();
    if (stored === undefined) return undefined;
    return { person: stored.tokens.subject ?? stored.signInId, signIn: stored.signInId };
  }

  async status(): Promise<SessionStatus> {
    const { tokens, profile } = this.#options;
    const stored = await this.#read();
    const at = { profile, store: await tokens.place(this.#binding) };
    const out = { status: 'signed_out', expiresAt: undefined, scopes: [] } as const;
    if (stored === undefined) return { ...at, ...out, workspaceUrl: undefined, error: undefined };
    const { known, error } = await this.#verified(stored);
    const { isOver, canRefresh } = standing(known.tokens, this.#options.clock);
    const { expiresAt, scopes, workspaceUrl } = known.tokens;
    if (error !== undefined || (isOver && !canRefresh)) {
      return { ...at, ...out, workspaceUrl, error: error ?? endedError().message };
    }
    const flaw = this.#flaw(known);
    const isEnding = this.#isEnding(known) || undefined;
    return { ...at, status: 'signed_in', expiresAt, scopes, workspaceUrl, error: flaw, isEnding };
  }

  async begin(tokens: Tokens): Promise<void> {
    if (tokens.issuer !== this.#binding.issuer || tokens.clientId !== this.#binding.clientId) {
      throw new FoveaError('internal', 'These tokens are of another issuer or client.');
    }
    await this.#locked(async () => {
      this.#remember(await this.#options.tokens.begin(this.#binding, tokens));
    });
  }

  async end(signal?: AbortSignal) {
    const { tokens, revoke } = this.#options;
    return this.#locked(async () => {
      const stored = await this.#readToEnd();
      this.#known = undefined;
      this.#unsaved = undefined;
      if (stored === undefined) return { revoked: false, wasSignedIn: false };
      const late = AbortSignal.timeout(limits.oauthRequestMsMax);
      const either = signal === undefined ? late : AbortSignal.any([late, signal]);
      const revoked =
        stored !== 'damaged' && (await revoke(stored.tokens, either).catch(() => false));
      await tokens.remove(this.#binding);
      return { revoked, wasSignedIn: true };
    });
  }

  async ready(): Promise<void> {
    await this.#options.tokens.place(this.#binding);
  }

  async settled(): Promise<void> {
    await this.#flight?.catch(() => undefined);
  }

  #isEnding({ tokens: { accessToken, ended } }: Stored): boolean {
    return ended !== undefined || this.#refused?.equals(accessToken) === true;
  }

  /** A warning about a sign-in that still works. */
  #flaw({ tokens }: Stored): string | undefined {
    if (this.#refused?.equals(tokens.accessToken))
      return 'A call with it was refused: sign in again.';
    if (tokens.ended !== undefined) return 'It cannot be renewed: sign in again when it ends.';
    return this.#unsaved && 'The renewed tokens could not be kept: they end with this process.';
  }

  /** The cached tokens where the sign-in is still the same; else the stored ones. */
  async #current(): Promise<Stored | undefined> {
    const known = this.#known;
    if (known && (await this.#options.tokens.isCurrent(this.#binding, known))) return known;
    return this.#read();
  }

  #read(): Promise<Stored | undefined> {
    this.#reading ??= this.#options.tokens
      .read(this.#binding)
      .then((found) => {
        const unsaved = this.#unsaved;
        this.#known = unsaved && unsaved.revision === found?.revision ? unsaved : found;
        return this.#known;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  /** Damaged tokens may be removed; tokens in a locked keychain may not. */
  async #readToEnd(): Promise<Stored | 'damaged' | undefined> {
    try {
      return await this.#read();
    } catch (thrown) {
      if (asFoveaError(thrown).retry === 'safe') throw thrown;
      return 'damaged';
    }
  }

  /** A failed early refresh is ignored while the old token is valid. */
  async #refreshEarly(stored: Stored): Promise<Stored | undefined> {
    const { clock } = this.#options;
    try {
      return await this.#fly();
    } catch (thrown) {
      if (standing(stored.tokens, clock).isOver) throw thrown;
      this.#tryAgainAt = clock.monotonic() + limits.refreshAgainMs;
      return stored;
    }
  }

  /** Single flight: concurrent callers share one refresh. */
  #fly(refused?: Secret): Promise<Stored | undefined> {
    this.#flight ??= this.#locked(async () => {
      const outcome = await refreshOnce(this.#options, this.#binding, this.#unsaved, refused);
      this.#remember(outcome?.stored);
      if (outcome?.saved === false) {
        this.#unsaved = outcome.stored;
        this.#tryAgainAt = this.#options.clock.monotonic() + limits.refreshAgainMs;
      }
      return outcome?.stored;
    }).finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  #remember(stored: Stored | undefined): void {
    this.#known = stored;
    this.#unsaved = undefined;
    this.#tryAgainAt = Number.NEGATIVE_INFINITY;
  }

  #locked<T>(work: () => Promise<T>): Promise<T> {
    return underLock(this.#options.takeLock, this.#binding, work);
  }

  #isFutile(refused: Secret): boolean {
    const renewed = this.#renewed;
    if (renewed === undefined || !renewed.token.equals(refused)) return false;
    return this.#options.clock.monotonic() - renewed.at < limits.refreshAgainMs;
  }

  /**
   * What the service says of the token, which knows its true end (API 24.3,
   * GET /oauth/validate). A token that it does not know any more is renewed where that is
   * possible, as the next call would have it. A service that does not answer changes nothing.
   */
  async #verified(
    stored: Stored,
  ): Promise<{ readonly known: Stored; readonly error: string | undefined }> {
    const { validate, clock } = this.#options;
    const { accessToken } = stored.tokens;
    const signal = AbortSignal.timeout(limits.oauthRequestMsMax);
    if (standing(stored.tokens, clock).isOver) return { known: stored, error: undefined };
    const answer = await validate(accessToken, signal).catch(() => undefined);
    if (answer === undefined) return { known: stored, error: undefined };
    if (answer.active) return { known: await this.#improved(stored, answer), error: undefined };
    try {
      await this.renew(accessToken);
      return { known: this.#known ?? stored, error: undefined };
    } catch (thrown) {
      const { code, message } = asFoveaError(thrown);
      return { known: stored, error: code === 'unauthenticated' ? message : undefined };
    }
  }

  /** Stores what the service said, unless another process has written since. */
  async #improved(stored: Stored, answer: ValidateAnswer): Promise<Stored> {
    const { tokens, clock } = this.#options;
    const better = withValidated(stored.tokens, answer, clock.now());
    if (better === stored.tokens || stored === this.#unsaved) return stored;
    const replace = () => tokens.replace(this.#binding, better, stored);
    const next = await this.#locked(replace).catch(() => undefined);
    if (next !== undefined) this.#remember(next);
    return next ?? { ...stored, tokens: better };
  }
}

function cancelled(): FoveaError {
  return new FoveaError('cancelled', 'The call was cancelled.');
}
