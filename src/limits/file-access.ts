// Limits of local paths.

export const fileAccessLimits = {
  /** A path, as Linux has it (PATH_MAX). */
  pathCharactersMax: 4_096,
  /** Files of one folder or glob; larger datasets are uploaded folder by folder. */
  expandedFilesMax: 200_000,
  /** A long path with some lists of names in braces. */
  globCharactersMax: 4_096,
  /** Patterns from the braces of one glob: each name is matched against all of them. */
  globAlternativesMax: 100,
  /** Path segments of a glob. */
  globPartsMax: 64,
  /** Names matched against a glob: some seconds. */
  globLooksMax: 5_000_000,
} as const;
