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
  /** Parts of a large version, one worker each at a time: enough for all workers. */
  versionPartsWanted: 64,
  /** Batches of a part. Fewer are not worth it: its last ones leave threads without work. */
  versionPartBatchesLeast: 128,
  /** So many are some 8,000 images, whose frozen rows are in memory. */
  versionPartBatchesMax: 1024,
  /** Images that an estimate of time works on: they differ in size. */
  estimateImagesMax: 32,
  /** It starts no further ones after this time: whoever generates a version waits for it. */
  estimateMsWanted: 600,
  /** It ends then, in the middle of an image: settings may make thousands of one. */
  estimateMsMax: 2_000,
  /** A version took 0.7 to 1.4 times what some of its images say, on BCCD and a busy machine. */
  estimateShareLeast: 0.7,
  estimateShareMost: 1.6,
  /** What a generation takes beside its images: freezing, starting, finishing. */
  estimateStartMsMax: 500,
  /** An idle thread ends: it is quickly started again. */
  renderIdleMsMax: 10_000,
  /** Pixel rows that the edges of an outline cross in a mask: more exhaust the memory. */
  outlineCrossingsMax: 10_000_000,
  /** Pixels of the boxes of an image that a bb step changes: ten times the largest image. */
  boxPixelsMax: 2_000_000_000,
} as const;
