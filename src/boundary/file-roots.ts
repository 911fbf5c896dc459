// The one guard between tools and the disk: nothing is read or written outside the roots.

export interface FileRoots {
  /** The folders below which tools may read and write, as real paths. */
  readonly roots: readonly string[];
  /**
   * A file or folder that may be read, as its real path. Throws `invalid_input` naming `argument`
   * and FOVEA_FILE_ROOTS when it lies outside, is no file or folder, or does not exist.
   */
  readable(path: string, argument: string): Promise<string>;
  /** A new or existing file that may be written; its folder is made. Throws likewise. */
  writable(path: string, argument: string): Promise<string>;
}
