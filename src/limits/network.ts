// Limits of client addresses and proxies.

export const networkLimits = {
  /** Trusted proxies in a row; the next address is the client's. */
  proxiesInRowMax: 20,
  /** Resolving a name that the proxy will resolve itself: only it may know the name. */
  proxyLookupMsMax: 3_000,
} as const;
