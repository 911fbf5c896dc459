// Limits of the authorization server.

export const authorizationServerLimits = {
  /** Seconds. API, tokens; RFC 6749 for codes. */
  oauthLifetimes: {
    accessSeconds: 60 * 60,
    mcpAccessSeconds: 24 * 60 * 60,
    refreshSeconds: 30 * 24 * 60 * 60,
    grantSeconds: 365 * 24 * 60 * 60,
    codeSeconds: 60,
    idTokenSeconds: 60 * 60,
    interactionSeconds: 10 * 60,
    sessionSeconds: 14 * 24 * 60 * 60,
    exchangedSeconds: 5 * 60,
  },
  /** A client may lose the answer of a refresh, or race itself, within this time. */
  refreshGraceMs: 30_000,
  /** Client metadata documents in use have less than 2 KB. */
  metadataDocumentBytesMax: 5 * 1024,
  /** A person waits for the sign-in page meanwhile. */
  metadataDocumentMsMax: 2_500,
  /** Anybody can name a document, so concurrent fetches are limited for all callers together. */
  metadataDocumentsAtOnceMax: 8,
  /** Forms and token requests are far smaller. */
  signInFormBytesMax: 16 * 1024,
  /** Wrong passwords that pause an account at one network. */
  passwordFailuresMax: 5,
  /** A guess per 12 s is hopeless, and a person can wait a minute. */
  passwordPauseMs: 60_000,
  /** Wrong passwords for one account from anywhere, or from one network for any account. */
  passwordFailuresWideMax: 50,
  /** Accounts and networks counted at the same time: rows of some MB. */
  passwordFailuresRememberedMax: 10_000,
  /** Above the minimum of 8 in NIST SP 800-63B. */
  passwordCharactersMin: 12,
  /** Long enough for a sentence; hashing time must be bounded. */
  passwordCharactersMax: 200,
  /** Each takes 32 MiB and one of libuv's four threads, which others need too. */
  passwordChecksAtOnceMax: 2,
  /** Per network, so that others get a turn. */
  passwordChecksOfCallerMax: 1,
  /** Names of accounts and applications must fit in a line. */
  displayNameCharactersMax: 100,
  /** People whose names the log of changes still tells after their accounts are gone. */
  removedAccountsMax: 1_000,
  /** Redirect URIs of one application; real ones have a few. */
  redirectUrisMax: 20,
  /** RFC 6749 has no limit; browsers stop at some 2,000. */
  applicationUrlCharactersMax: 2_000,
  /** What a person reads through. */
  connectionsPerPage: 25,
  /** When a grant was used is told to the day. */
  connectionUseGapMs: 60_000,
  /** A working day. */
  settingsSessionMs: 8 * 60 * 60 * 1000,
  /** How long a form may stay open before it is sent. */
  settingsFormMs: 60 * 60 * 1000,
} as const;
