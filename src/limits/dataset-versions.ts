// Limits of generating dataset versions.

export const datasetVersionLimits = {
  /** Images that isolate and tile may make of one; more are a mistake. */
  piecesPerImageMax: 10_000,
  /** Pixels of these together, without copies: minutes of work. */
  piecePixelsMax: 10_000_000_000,
  /** Mirror images where edges reflect; three are customary. */
  reflectionsMax: 200_000,
  /** Source images per thread and batch; mosaic chooses its partners among them. */
  renderSourcesMax: 8,
  /** Generated images per batch: seconds of work, so that progress shows. */
  renderImagesMax: 128,
  /** Pixels of the sources of a batch, stored and resized: all may be in memory. */
  renderPixelsMax: 64_000_000,
  /** Of all threads together, at 9 bytes per pixel (mosaic: 23). A larger image goes alone. */
  renderPixelsAtOnceMax: 30_000_000,
  /** An idle thread ends: it is quickly started again. */
  renderIdleMsMax: 10_000,
  /** Pixel rows that the edges of an outline cross in a mask: more exhaust the memory. */
  outlineCrossingsMax: 10_000_000,
  /** Pixels of the boxes of an image that a bb step changes: ten times the largest image. */
  boxPixelsMax: 2_000_000_000,
} as const;
