// Folders of projects: the store's interface.

export interface Folder {
  readonly id: string;
  readonly workspaceId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly externalId: string | undefined;
  readonly authGroups: unknown;
  /** Slugs of the live ones. */
  readonly projects: readonly string[];
  readonly created: number;
  readonly updated: number;
}

/** What may be said of a folder. What is undefined stays as it is. */
export interface FolderChange {
  readonly name: string | undefined;
  /** Null: below no other folder. */
  readonly parentId: string | null | undefined;
  readonly externalId: string | undefined;
  readonly authGroups: unknown;
  /** Slugs of all that are to be in it: others that are leave. */
  readonly projects: readonly string[] | undefined;
}

export interface NewFolder extends FolderChange {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly created: number;
}

/**
 * A project is in one folder at most: who puts it into another one moves it. Methods that change
 * something throw `invalid_input`, naming the argument, for a parent or a project that is not
 * there, for parents in a circle, and for folders too many or too deep; `conflict` for a second
 * folder of one name below the same parent; nothing has changed then.
 */
export interface FolderStore {
  list(workspaceId: string): Promise<readonly Folder[]>;
  /** Ids and names alone: whatever else it holds is not read. */
  names(workspaceId: string): Promise<readonly Pick<Folder, 'id' | 'name'>[]>;
  find(workspaceId: string, folderId: string): Promise<Folder | undefined>;
  add(folder: NewFolder): Promise<void>;
  /** False when there is no such folder. */
  update(
    workspaceId: string,
    folderId: string,
    change: FolderChange,
    now: number,
  ): Promise<boolean>;
  /** Its projects and folders go to its parent. False when there is no such folder. */
  remove(workspaceId: string, folderId: string, now: number): Promise<boolean>;
  /** Atomic; false when there is no such folder. */
  setProjects(
    workspaceId: string,
    folderId: string,
    slugs: readonly string[],
    operation: 'add' | 'remove',
    now: number,
  ): Promise<boolean>;
  /** Ids of those of these folders that are there, and of all below them. */
  within(workspaceId: string, folderIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ids of the projects, also of those in the trash, in these folders and all below them. */
  projectIds(workspaceId: string, folderIds: readonly string[]): Promise<ReadonlySet<string>>;
}
