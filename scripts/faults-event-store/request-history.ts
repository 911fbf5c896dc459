// What a store was asked for and what it answered: the log that a trial is judged by.

import type { ContentKind } from './verifiable-content.ts';

/**
 * `unknown`: no answer came, so it may be there or not. `stored`: it was acknowledged. `refused`:
 * the answer was an error, so it must never show.
 */
export type Outcome = 'unknown' | 'stored' | 'refused';

export interface SentFile {
  readonly kind: ContentKind;
  readonly seed: number;
  readonly bytes: number;
  outcome: Outcome;
  /** Once it is known. */
  fileId: string | undefined;
}

export interface SentEvent {
  /** Ours, in the data of the event: it finds an event whose answer never came. */
  readonly key: string;
  /** The body without its images. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly images: readonly SentFile[];
  readonly isDraft: boolean;
  outcome: Outcome;
  id: string | undefined;
  readonly attached: SentFile[];
  finalize: 'never' | Outcome;
  isHeld: boolean;
}

/** All of one data folder, over all restarts of its service. */
export class History {
  readonly events = new Map<string, SentEvent>();
  /** Writes that were acknowledged: events, files, finalizations, holds. */
  acknowledged = 0;
  /** Answers that no service may give, in words. */
  readonly wrongAnswers: string[] = [];
  /** Statuses of all answers. */
  readonly statuses = new Map<number, number>();
  /** The newest line of the ledger that was read. */
  ledgerRead = -1;
  #next = 1;

  nextNumber(): number {
    this.#next += 1;
    return this.#next;
  }

  count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}
