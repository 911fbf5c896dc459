// Limits of signing in to a service.

export const signInLimits = {
  /** How long before their expiry tokens are refreshed. */
  refreshBeforeMs: 5 * 60 * 1000,
  /** Waiting for the refresh of another process. */
  refreshWaitMsMax: 30_000,
  /** Poll interval of the lock meanwhile. */
  refreshLockPollMs: 25,
  /** Pause after a failed refresh while the token is still valid. */
  refreshAgainMs: 30_000,
  /** Expiry times of one token differ by the time of the answer. */
  sameEndMs: 5_000,
  /** Time for a person to sign in. */
  signInMsMax: 10 * 60 * 1000,
  /** One request to an authorization server. */
  oauthRequestMsMax: 15_000,
  /** Its answer; key sets are the largest. */
  oauthAnswerBytesMax: 1024 * 1024,
  /** A keychain may ask the user, or hang. */
  keychainMsMax: 5_000,
  /** Tokens are far smaller; some servers put whole directories into them. */
  sealedFileBytesMax: 1024 * 1024,
  /** Windows stores 2,560 bytes in one entry. */
  secretChunkCharactersMax: 1_200,
  /** Time to load the last page before its socket is closed. */
  callbackCloseMsMax: 2_000,
} as const;
