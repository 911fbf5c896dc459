// Deleted projects, versions, trainings, workflows and images that can be restored: the interface.

export type TrashType = 'project' | 'version' | 'training' | 'workflow' | 'image';

export interface TrashItem {
  readonly type: TrashType;
  /** The number, for a version; of images that of their deletion. */
  readonly id: string;
  readonly name: string;
  /** Its address, below that of the workspace; of a workflow its slug. */
  readonly path: readonly string[];
  readonly deletedAt: number;
  /** Undefined: an older Fovea did not write it down. */
  readonly deletedBy: string | undefined;
  /** The project that it belongs to, or that it is; undefined for a workflow. */
  readonly projectId: string | undefined;
  readonly parent: TrashParent | undefined;
  /** Images of one deletion, and the numbers of the versions that still hold some of them. */
  readonly images?: number;
  readonly versions?: readonly number[];
}

export interface TrashParent {
  /** The id of the project. */
  readonly id: string;
  readonly name: string;
  readonly path: readonly string[];
}

/** The parent that must be restored first: the project, or a version of it. */
export interface ParentInTrash {
  readonly type: 'project' | 'version';
  readonly id: string;
  readonly parentId: string | undefined;
}

/** Images of a deletion whose bytes were uploaded again meanwhile. */
export interface ReplacedImages {
  readonly type: 'replaced';
  /** Of the images of the deletion. */
  readonly count: number;
  /** The first of the new images. */
  readonly by: readonly { readonly id: string; readonly name: string }[];
}

/** What was deleted before or at `before` cannot come back: it may be half gone. */
export interface TrashStore {
  /** The newest first. */
  list(workspaceId: string, before: number): Promise<readonly TrashItem[]>;
  restore(
    workspaceId: string,
    item: Pick<TrashItem, 'type' | 'id' | 'projectId'>,
    before: number,
  ): Promise<'restored' | 'missing' | ReplacedImages | ParentInTrash>;
}
