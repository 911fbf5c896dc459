// Workspaces: the store's interface.

export interface Workspace {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly created: number;
}

export interface WorkspaceStore {
  /** The workspace of that slug, made when it is not there. */
  ensure(slug: string, now: number): Promise<Workspace>;
  find(slug: string): Promise<Workspace | undefined>;
}
