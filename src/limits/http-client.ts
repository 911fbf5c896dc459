// Limits of calls to services.

export const httpClientLimits = {
  /** Default time of one call, with all attempts. */
  callTimeoutMs: 60_000,
  /** Of one that compares all images of a project: as long as that may take, and a wait before. */
  longCallMsMax: 6 * 60_000,
  /** Between two words to a host about a call that takes long: some give up after a minute. */
  longCallToldMs: 5_000,
  /** The maximum of FOVEA_TIMEOUT_MS: an hour. */
  callTimeoutMsMax: 3_600_000,
  /** A start waits for it, where FOVEA_BASE_URL is set: hosts give up after ten seconds or more. */
  recognitionMsMax: 5_000,
  /** What a platform says of itself is a line. */
  recognitionBytesMax: 4_096,
  /** Many calls at once leave many unused connections. */
  pooledConnectionIdleMsMax: 10_000,
  /** A call that fails four times within a minute does not fail by chance. */
  callAttemptsMax: 4,
  /** Shortest delay before a retry, with full jitter. */
  retryDelayMsMin: 200,
  /** Longest delay before a retry. */
  retryDelayMsMax: 5_000,
  /** The proxy waits for the service in turn. */
  proxyConnectMsMax: 30_000,
  /** An answer that is read into memory. */
  answerBytesMax: 64 * 1024 * 1024,
  /** The message of an error is at its beginning. */
  errorAnswerBytesMax: 64 * 1024,
  /** Text of another service in an error: enough to understand it. */
  foreignTextMax: 2_000,
  /** More redirects of a download are a loop. */
  redirectsMax: 5,
  /** An export of a large dataset. */
  downloadBytesMax: 20 * 1024 * 1024 * 1024,
} as const;
