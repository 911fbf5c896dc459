// Records of inferences: the store's interface.

import type { FencedTransaction } from './fenced-transaction.ts';
import type { InferenceStats, InferenceTotals, StatsWindow } from './inference-stats.ts';

export interface NewInference {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string | undefined;
  readonly modelName: string;
  readonly source: 'hosted' | 'video' | 'autolabel' | 'vision_event';
  /** When it happened. */
  readonly created: number;
  readonly responseMs: number | undefined;
  /** Why the model gave no answer, in our words. */
  readonly error: string | undefined;
  readonly seen: readonly { readonly class: string; readonly confidence: number }[];
}

/** Metadata for records: the same for all of them. */
export interface RecordMetadata {
  readonly ids: readonly string[];
  readonly name: string;
  readonly value: string;
}

export interface InferenceStore {
  add(inferences: readonly NewInference[], fenced?: FencedTransaction): Promise<void>;
  /** Undefined: there are too many to be counted in one go. */
  totals(window: StatsWindow): Promise<InferenceTotals | undefined>;
  /** What was seen, by models and classes; undefined likewise. */
  stats(window: StatsWindow): Promise<InferenceStats | undefined>;
  /** Sets all of it, or nothing: the ids that the workspace has no record of are given back. */
  setMetadata(workspaceId: string, changes: readonly RecordMetadata[]): Promise<readonly string[]>;
}
