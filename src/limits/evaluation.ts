// Limits of what is judged: masks, which a file of predictions may make as large as it likes.

export const evaluationLimits = {
  /** Values in a file of predictions: an empty list is 60 bytes; 20 MiB of corners are fewer. */
  predictionValuesMax: 4_000_000,
  /** Its depth: the corners of polygons in a COCO dataset are at five. */
  predictionDepthMax: 16,
  /** Members of one object: classes of a folder by their numbers. */
  predictionMembersMax: 10_000,
  /** Share of an image by which a box may reach out of it: models round, and guess beyond edges. */
  predictionBeyondShareMax: 0.1,
  /** Columns that the edges of one outline cross: the most ragged ones of COCO have 10,000. */
  maskCrossingsMax: 2_000_000,
  /** Runs of all masks of an evaluation, in 400 MB: 100,000 masks of COCO have 20 million. */
  maskRunsMax: 50_000_000,
  /** Runs of labels and predictions that are compared, pair by pair: some 100 s of a core. */
  maskComparedRunsMax: 2_000_000_000,
  /** Columns that all outlines cross of an image that is compared at once: some 20 ms. */
  maskCrossingsAtOnceMax: 400_000,
  /** Runs that are compared there, pair by pair: some 20 ms. */
  maskComparedRunsAtOnceMax: 1_000_000,
  /** Corners of all outlines that a model finds in an evaluation, in 320 MB. */
  evaluationCornersMax: 20_000_000,
  /** Columns by which a mask is drawn: enough to be known again on a contact sheet. */
  maskDrawnColumnsMax: 16,
  /** Cells, each way, by which the pieces of a class map are drawn: those of a contact sheet. */
  drawnPiecesGridSide: 160,
  /** Pieces of an image that are kept to be drawn, and corners of each: some 20 kB. */
  drawnPiecesMax: 40,
  drawnPieceCornersMax: 40,
} as const;
