// The Node that runs Fovea.

export const nodeLimits = {
  /** Its SQLite is the first with full-text search, on which the search by name stands. */
  nodeMin: { major: 22, minor: 16 },
} as const;
