// Bounds: signing in, and MCP over HTTP for those who are.

export const signInLimits = {
  // Sign-in, the side of the user.

  /** A token is renewed so long before its end, so that no call carries one that just ended. */
  refreshBeforeMs: 5 * 60 * 1000,
  /** A refresh waits so long for the one of another process. */
  refreshWaitMsMax: 30_000,
  refreshLockPollMs: 25,
  /** After a refresh that failed while the token still works, or was of no use. */
  refreshAgainMs: 30_000,
  /** Two ends of a token that are so near are one: it took some time to be told. */
  sameEndMs: 5_000,
  /** A person has so long to sign in. */
  signInMsMax: 10 * 60 * 1000,
  /** One request to an authorization server, and its answer. */
  oauthRequestMsMax: 15_000,
  oauthAnswerBytesMax: 1024 * 1024,
  /** A keychain that asks a person, or hangs. */
  keychainMsMax: 5_000,
  /** Ids and keys of all kinds are far smaller; some servers put whole directories in tokens. */
  sealedFileBytesMax: 1024 * 1024,
  /** Windows keeps 2,560 bytes in one entry. */
  secretChunkCharactersMax: 1_200,
  /** A host may ask its user for so long whether an address is to be opened. */
  openUrlMsMax: 45_000,

  // Sign-in, the side of the service.

  /** Seconds: API 24.13, 24.14; RFC 6749 for codes. */
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
  /** The holder of a refresh token may lose the answer, or race itself, for so long. */
  refreshGraceMs: 30_000,
  /** The document of a client: those of others have less than 2 KB. */
  metadataDocumentBytesMax: 5 * 1024,
  metadataDocumentMsMax: 2_500,
  /** Anybody can name one: so many are fetched at once, whoever asks. */
  metadataDocumentsAtOnceMax: 8,
  /** The body of a form, of the token endpoint too. */
  signInFormBytesMax: 16 * 1024,
  /** So many wrong passwords pause an account and an address. */
  passwordFailuresMax: 5,
  passwordPauseMs: 60_000,
  /** Wrong ones for one account from anywhere, or from one address for any account, likewise. */
  passwordFailuresWideMax: 50,
  /** Accounts and addresses whose wrong passwords are counted at the same time. */
  passwordFailuresRememberedMax: 10_000,
  /** NIST SP 800-63B asks for 8 at least; nothing else about the characters. */
  passwordCharactersMin: 12,
  passwordCharactersMax: 200,
  /** Each takes 32 MiB and one of libuv's four threads; files and names of hosts need the rest. */
  passwordChecksAtOnceMax: 2,
  /** Of one network: another one finds a place. */
  passwordChecksOfCallerMax: 1,
  /** The name of an account or of an application: it stands in one line. */
  displayNameCharactersMax: 100,
  /** Of one application. RFC 6749 has no bound; browsers stop at some 2,000 characters. */
  redirectUrisMax: 20,
  applicationUrlCharactersMax: 2_000,
  /** A person stays signed in to the settings pages for a working day. */
  settingsSessionMs: 8 * 60 * 60 * 1000,
  /** A form on them may stay open for so long before it is sent. */
  settingsFormMs: 60 * 60 * 1000,

  /** The page that ends a sign-in has so long to be read before its socket is cut. */
  callbackCloseMsMax: 2_000,

  // MCP over HTTP.

  /** A revoked token may be good for so long still; an unknown one is asked for again sooner. */
  tokenCacheMs: 5_000,
  tokenCacheMissMs: 1_000,
  tokenCacheEntriesMax: 1_000,
  /** A token of the platform is exchanged anew so long before its end. */
  exchangeBeforeMs: 30_000,
  /** Made-up tokens must not become a flood of questions to the authorization server. */
  tokenChecksAtOnceMax: 32,
  /** Of one network, or of one person whose tokens were good before: the others go on meanwhile. */
  tokenChecksOfCallerMax: 8,
  tokenHolderKnownMs: 60 * 60 * 1000,
  /** One message, or a batch of them. */
  httpBodyBytesMax: 1024 * 1024,
  httpToolArgumentElementsMax: 10_000,
  /** Of one principal. */
  httpCallsPerMinuteMax: 600,
  httpCallsAtOnceMax: 20,
} as const;
