// Statistics over the records of inferences: the store's interface.

/** Averages are undefined where there is nothing to take them of. */
export interface InferenceTotals {
  readonly inferences: number;
  readonly errors: number;
  /** Of all that was seen, 0 to 1. */
  readonly confidence: number | undefined;
  readonly responseMs: number | undefined;
}

/** What one model saw of one class. */
export interface SeenClass {
  readonly modelName: string;
  readonly class: string;
  readonly count: number;
  readonly averageConfidence: number;
  readonly medianConfidence: number;
  readonly modelInferences: number;
  readonly modelResponseMs: number | undefined;
  /** Where the model ran. */
  readonly sources: readonly string[];
}

export interface InferenceStats {
  readonly totals: InferenceTotals;
  /** The most frequent first. */
  readonly classes: readonly SeenClass[];
}

export interface StatsWindow {
  readonly workspaceId: string;
  readonly from: number;
  /** Not included. */
  readonly to: number;
  /** Undefined: all. */
  readonly models: readonly string[] | undefined;
}
