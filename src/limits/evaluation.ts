// Limits of what is judged: masks, which a file of predictions may make as large as it likes.

export const evaluationLimits = {
  /** Columns that the edges of one outline cross: the most ragged ones of COCO have 10,000. */
  maskCrossingsMax: 2_000_000,
  /** Runs of all masks of an evaluation, in 400 MB: 100,000 masks of COCO have 20 million. */
  maskRunsMax: 50_000_000,
  /** Columns by which a mask is drawn: enough to be known again on a contact sheet. */
  maskDrawnColumnsMax: 16,
} as const;
