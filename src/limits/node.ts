// Supported versions of Node.

export const nodeLimits = {
  /** Its SQLite is the first with full-text search, on which the search by name stands. */
  nodeMin: { major: 22, minor: 16 },
  /** It ended before its SQLite gave rows as lists, as that of 22.16 and of 24 does. */
  nodeMajorWithout: 23,
} as const;
