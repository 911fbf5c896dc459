// Deletes what is past its retention: the store's interface.

import type { FencedTransaction } from './fenced-transaction.ts';
import type { TrashType } from './trash.ts';

/** Something that was in the trash for too long. */
/** Deleted images have a removal of their own. */
export type DueType = Exclude<TrashType, 'image'>;

export interface DueItem {
  readonly type: DueType;
  /** That of its row. */
  readonly id: string;
}

export interface PurgeStore {
  /**
   * What has been in the trash since `before` or longer; what lies in it comes with it. And the
   * versions that nobody freezes any more, which began before `freezingSince`.
   */
  due(before: number, freezingSince: number): Promise<readonly DueItem[]>;
  /**
   * Removes some rows of it, in one transaction; nothing of what is not due any more. From the
   * first row on it is as old as can be, so that no clock that goes back brings half of it back.
   * The files go with the next sweep.
   */
  purgeSome(
    item: DueItem,
    before: number,
    countMax: number,
    fenced: FencedTransaction,
  ): Promise<'more' | 'done'>;
  /**
   * Removes work that ended at `before` or earlier and that nothing points at, with what belongs
   * to it; says how much.
   */
  oldWork(before: number, countMax: number, fenced: FencedTransaction): Promise<number>;
  /** Removes records of inferences of `before` or earlier, with what was seen; says how many. */
  oldInferences(before: number, countMax: number, fenced: FencedTransaction): Promise<number>;
  /** Removes vision events of before `before`; says how many. */
  oldEvents(before: number, countMax: number, fenced: FencedTransaction): Promise<number>;
  /** Removes images that no vision event refers to which came since; says how many. */
  oldEventImages(usedBefore: number, countMax: number, fenced: FencedTransaction): Promise<number>;
  /** Removes images that were deleted at `before` or earlier; says how many. */
  oldImages(before: number, countMax: number, fenced: FencedTransaction): Promise<number>;
  /** Removes changes of classes of `before` or earlier: they cannot be taken back any more. */
  oldClassChanges(before: number, countMax: number, fenced: FencedTransaction): Promise<number>;
  /** Removes the oldest entries of logs that are too long; says how many. */
  oldActivity(countMax: number, fenced: FencedTransaction): Promise<number>;
  /** Removes video jobs that ended at `before` or earlier; says how many. */
  oldVideoJobs(before: number, countMax: number, fenced: FencedTransaction): Promise<number>;
}
