// Where uploaded files lie until their task has read them: in the data folder, or among the blobs
// where processes have folders of their own, since any of them may take the task.

import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { type FileStore, openFileFolder } from '../../storage/file-store.ts';
import { uuidv7 } from '../../uuid.ts';
import { counted, type DiskReservations } from '../disk-reservations.ts';

export interface ReceivedFiles {
  /** Keeps what comes in; `file` is what it is found by. */
  write(content: AsyncIterable<Uint8Array>): Promise<ReceivedFile>;
  open(file: string): Promise<Readable>;
  /** A store that has the file, for reads of its parts; perhaps a copy in this folder. */
  bring(file: string, folder: string): Promise<FileStore>;
  /** Removes files that nobody reads any more, or leaves them to the sweep of blobs. */
  remove(files: readonly string[]): Promise<void>;
}

export interface ReceivedFile {
  readonly file: string;
  readonly bytes: number;
}

export function inDataFolder(files: FileStore, clock: Clock): ReceivedFiles {
  return {
    write: async (content) => {
      // Each attempt has a file of its own: other processes may receive the same upload.
      const file = uuidv7(clock.now());
      const { bytes } = await files.write(file, content);
      return { file, bytes };
    },
    open: (file) => files.open(file),
    bring: async () => files,
    remove: (gone) => files.remove(gone),
  };
}

/** What no row refers to any more is swept. */
export function amongBlobs(blobs: BlobStore, diskReservations: DiskReservations): ReceivedFiles {
  return {
    write: async (content) => {
      const { hash, bytes } = await blobs.put(content);
      return { file: hash, bytes };
    },
    open: (file) => blobs.open(file),
    bring: async (file, folder) => {
      const reservation = await diskReservations.reserve(await blobs.size(file));
      try {
        const copies = await openFileFolder(join(folder, 'received'));
        await copies.write(file, counted(await blobs.open(file), reservation.wrote));
        return copies;
      } finally {
        reservation.release();
      }
    },
    remove: async () => {},
  };
}
