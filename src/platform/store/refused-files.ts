// Files that an upload refused: the store's interface.

export interface RefusedFile {
  /** Its name, or its path in a zip file: shown to people. */
  readonly file: string;
  /** The name that its image would have. */
  readonly name: string;
  /** What tells it from others: a hash of its bytes, or its path in a zip file. */
  readonly identity: string;
  readonly reason: string;
  readonly at: number;
  /** The credential of the upload, where it is known. */
  readonly who: string | undefined;
}

export interface RefusedFileStore {
  /** Keeps them, the newest of a project alone; a file that was refused before counts once. */
  add(projectId: string, files: readonly RefusedFile[]): Promise<void>;
}
