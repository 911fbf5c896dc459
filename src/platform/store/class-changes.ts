// Classes that are renamed, merged and removed in a whole project: the store's interface.

import type { ClassChange, ClassTargets } from '../../annotations/class-change.ts';
import type { FencedTransaction } from './fenced-transaction.ts';

export interface NewClassChange {
  /** Also the id of its task. */
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly change: ClassChange;
  /** Images that have such labels, for the progress. */
  readonly images: number;
  readonly created: number;
}

/** A change, and what its tasks have done until now. */
export interface KnownClassChange {
  readonly id: string;
  readonly projectId: string;
  readonly change: ClassChange;
  /** Images that had such labels when it was asked for. */
  readonly found: number;
  readonly labels: number;
  readonly images: number;
  /** Those of them that have no label since. */
  readonly emptied: number;
  /** The newest task that takes it back. */
  readonly undoTaskId: string | undefined;
  /** Images that are as before again, by that task. */
  readonly restored: number;
  /** Images whose labels others have changed or saved since: left alone. */
  readonly changed: number;
  /** Images that are not in the project any more. */
  readonly gone: number;
}

/** What a change would do. */
export interface AffectedLabels {
  readonly classes: readonly {
    readonly label: string;
    readonly labels: number;
    readonly images: number;
  }[];
  /** Each once. */
  readonly images: number;
  /** Those that would have no label any more. */
  readonly emptied: number;
}

/** A page of the images that a change has to look at still, by their ids. */
export interface WantedImages {
  readonly changeId: string;
  readonly projectId: string;
  readonly labels: readonly string[];
  /** The last id of the page before; empty: the first page. */
  readonly after: string;
}

export interface NewUndo {
  readonly taskId: string;
  readonly workspaceId: string;
  /** Of the change as it was read: another undo that began since wins. */
  readonly undoTaskId: string | undefined;
}

export interface UndonePage {
  /** The last id of the page before; empty: the first page, which counts anew what was left. */
  readonly after: string;
  readonly countMax: number;
}

/** What became of the classes of a project since somebody looked at it. */
export interface SeenClasses {
  /** Names the state of its classes, which have this one then. */
  readonly state: string;
  readonly targets: ClassTargets;
}

/** An image keeps its old annotation with the change for as long as that can be taken back. */
export interface ClassChangeStore {
  /** Starts the work. */
  start(change: NewClassChange): Promise<void>;
  find(projectId: string, changeId: string): Promise<KnownClassChange | undefined>;
  /** The state of the classes; what is being changed is not in it. */
  state(projectId: string): Promise<string>;
  /** `state`: what somebody has seen. Changes that are being made count as made. */
  since(projectId: string, state: string): Promise<SeenClasses>;
  affected(workspaceId: string, projectId: string, change: ClassChange): Promise<AffectedLabels>;
  imagesLeft(workspaceId: string, wanted: WantedImages): Promise<readonly string[]>;
  /**
   * Changes those of these images in one transaction that have such labels, each once for a change.
   * How many. Throws `conflict` for a project in the trash.
   */
  apply(
    change: KnownClassChange,
    imageIds: readonly string[],
    fenced: FencedTransaction,
    now: number,
  ): Promise<number>;
  /** Starts to take it back. False: another call has begun to. */
  startUndo(change: KnownClassChange, undo: NewUndo): Promise<boolean>;
  /** Images that are to be looked at still. */
  countUndoable(changeId: string): Promise<number>;
  /**
   * Takes it back in a page of its images, in one transaction: in those that nobody changed since;
   * the others are kept for another undo. The last id of the page; undefined: there are no more.
   * Throws `conflict` for a project in the trash.
   */
  undoSome(
    change: KnownClassChange,
    page: UndonePage,
    fenced: FencedTransaction,
    now: number,
  ): Promise<string | undefined>;
}
