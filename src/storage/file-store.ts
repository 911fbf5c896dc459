// Files under ids that their owner chooses: the interface of every file store.

import type { Readable } from 'node:stream';

export interface WrittenFile {
  /** Bytes of the content. */
  readonly bytes: number;
  /** Bytes that the file takes on the disk. */
  readonly diskBytes: number;
}

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Files under ids of letters, digits and hyphens. Several processes may use one store. Methods that
 * read throw `not_found` when there is no such file.
 */
export interface FileStore {
  /**
   * Keeps content under a new id; it is on the disk when this resolves, and nothing of it is there
   * when this throws: what the source throws, `full`, or `internal` for a disk that fails.
   */
  write(id: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /** The content, or a part of it, piece by piece; reading begins at the start of the range. */
  open(id: string, range?: ByteRange): Promise<Readable>;
  read(id: string): Promise<Uint8Array>;
  size(id: string): Promise<number>;
  /** Removes files; those that are not there are passed over. */
  remove(ids: readonly string[]): Promise<void>;
  /** Ids of all files. */
  ids(): AsyncIterable<string>;
  /** Free bytes of the disk for this process. */
  freeBytes(): Promise<number>;
  /**
   * Removes what dead processes left half written; says how many. Without `beforeMs` only for a
   * process that is alone with the store: it takes what others are writing for left as well. With
   * it, only what nobody has written to since then (milliseconds since 1970).
   */
  clearUnfinished(beforeMs?: number): Promise<number>;
}
