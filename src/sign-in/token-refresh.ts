// Refreshes tokens once for all processes: lock, read, request, compare and swap.

import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import type { Binding } from './profile-index.ts';
import type { Stored, TakeLock, TokenStore, Tokens } from './token-store.ts';

export interface RefreshOptions {
  readonly tokens: TokenStore;
  readonly clock: Clock;
  /**
   * RFC 6749 section 6. Throws EndedGrant for invalid_grant, a FoveaError otherwise. What the
   * answer leaves out stays as it was, the refresh token too.
   */
  readonly refresh: (tokens: Tokens, signal: AbortSignal) => Promise<Tokens>;
}

/** `invalid_grant` (RFC 6749 section 5.2): the refresh token is spent, revoked or too old. */
export class EndedGrant extends Error {
  override readonly name = 'EndedGrant';
}

/** How long tokens are good for, as far as we know. */
export interface Standing {
  /** The access token's time has come: it would be refused. */
  readonly isOver: boolean;
  /** A new token should be requested, so that no call carries one that just expired. */
  readonly isDue: boolean;
  readonly canRefresh: boolean;
}

/** Shortly before the end: five minutes, and a tenth of the lifetime where that is less. */
export function standing({ expiresAt, obtainedAt, ...tokens }: Tokens, clock: Clock): Standing {
  const now = clock.now();
  const canRefresh = tokens.refreshToken !== undefined && tokens.ended === undefined;
  if (expiresAt === undefined) return { isOver: false, isDue: false, canRefresh };
  const beforeMs = Math.min(limits.refreshBeforeMs, Math.max(0, (expiresAt - obtainedAt) / 10));
  return { isOver: now >= expiresAt, isDue: now >= expiresAt - beforeMs, canRefresh };
}

/** The error of a sign-in that can only be replaced by another sign-in. */
export function endedError(): FoveaError {
  return new FoveaError('unauthenticated', 'The sign-in has ended.', {
    hint: 'Call auth_sign_in, or run fovea sign-in.',
  });
}

/**
 * The tokens that are good now; undefined: signed out. Sends one request at most, and none where a
 * sibling has done so since. Under the lock, since a refresh token may be used once only. `refused`
 * is the token that a service answered with 401, if that is why. `saved` is false where the answer
 * could not be kept: then it is in this process alone.
 */
export async function refreshOnce(
  options: RefreshOptions,
  binding: Binding,
  unsaved: Stored | undefined,
  refused: Secret | undefined,
): Promise<{ readonly stored: Stored; readonly saved: boolean } | undefined> {
  const { tokens, clock } = options;
  const found = await tokens.read(binding);
  if (found === undefined) return undefined;
  // Unsaved tokens are newer than the stored ones, unless another process has written since.
  const current = unsaved?.revision === found.revision ? unsaved : found;
  const { isDue, canRefresh } = standing(current.tokens, clock);
  const isRefused = refused?.equals(current.tokens.accessToken);
  const isWanted = canRefresh && (isDue || isRefused);
  if (!isWanted && current === found) return { stored: found, saved: true };
  const next = isWanted ? await refreshed(options, current.tokens) : current.tokens;
  try {
    const stored = await tokens.replace(binding, next, found);
    if (stored !== undefined) return { stored, saved: true };
  } catch {
    // A keychain that was locked meanwhile. The old refresh token is spent: forget nothing.
    return { stored: { ...found, tokens: next }, saved: false };
  }
  const others = await tokens.read(binding);
  return others === undefined ? undefined : { stored: others, saved: true };
}

/** Has its own deadline: a caller that gives up must not lose the answer for the others. */
async function refreshed({ refresh }: RefreshOptions, tokens: Tokens): Promise<Tokens> {
  const signal = AbortSignal.timeout(limits.oauthRequestMsMax);
  try {
    return await refresh(tokens, signal);
  } catch (thrown) {
    if (!(thrown instanceof EndedGrant)) throw thrown;
    return { ...tokens, refreshToken: undefined, ended: 'invalid_grant' };
  }
}

/** Runs under the lock between processes. Throws `timed_out` when another process keeps it. */
export async function underLock<T>(
  takeLock: TakeLock,
  binding: Binding,
  work: () => Promise<T>,
): Promise<T> {
  const late = AbortSignal.timeout(limits.refreshWaitMsMax);
  for (;;) {
    const lock = takeLock(binding);
    if (lock !== undefined) return work().finally(() => lock.release());
    if (late.aborted) {
      throw new FoveaError('timed_out', 'Another process of Fovea holds the sign-in.', {
        hint: 'It is renewing or ending it. Try again.',
        retry: 'safe',
      });
    }
    // Random, so that waiting processes do not retry in step.
    await wait(limits.refreshLockPollMs * (0.5 + Math.random()));
  }
}
