// Uploads by signed links, and the reports of zip imports: the store's interface.

import type { NewTask } from '../../storage/task-queue.ts';
import type { FencedTransaction } from './fenced-transaction.ts';
import type { RefusedFile } from './refused-files.ts';

export type UploadKind = 'zip' | 'video';

export interface Upload {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: UploadKind;
  /** The work that is held until the file is there. */
  readonly taskId: string | undefined;
  readonly name: string;
  /** In the file store; undefined until it is there. */
  readonly file: string | undefined;
  readonly bytes: number | undefined;
  /** The end of the link. */
  readonly expires: number;
  readonly created: number;
}

/** `over`: the work that waited for it has been given up. */
export type Received = 'taken' | 'taken_before' | 'over' | 'missing';

export interface ZipReport {
  readonly taskId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  /** Of its blob. */
  readonly hash: string;
  readonly refused: readonly RefusedFile[];
  readonly now: number;
}

export interface UploadStore {
  /** With its held work, in one transaction. */
  add(upload: Omit<Upload, 'file' | 'bytes'>, task?: NewTask): Promise<void>;
  /** The task of an import that needs no upload. */
  startImport(task: NewTask): Promise<void>;
  find(id: string): Promise<Upload | undefined>;
  ofTask(taskId: string): Promise<Upload | undefined>;
  /** Uploads of a workspace whose links are good, and whose files are not there. */
  countWaiting(workspaceId: string, now: number): Promise<number>;
  /** Keeps an upload from being given up while its bytes come in. */
  setReceiving(id: string, since: number): Promise<void>;
  /** They no longer do, unless another attempt has begun. */
  endReceiving(id: string, since: number): Promise<void>;
  /** The file is there: its work may begin, in the same transaction. */
  received(id: string, file: string, bytes: number): Promise<Received>;
  hasFile(file: string): Promise<boolean>;
  /**
   * Fails the work of uploads that nobody sent in time, and forgets those that are older than
   * `usedBefore` and no work needs any more. Gives the files to be removed.
   */
  purge(now: number, usedBefore: number, receivingBefore: number): Promise<readonly string[]>;
  /** The report of a zip file, with the files that were refused. */
  addReport(report: ZipReport, fenced: FencedTransaction): Promise<void>;
  /**
   * Whether an image, and its annotation, are there since a time: so an attempt that starts over
   * knows what the one before it did.
   */
  since(
    imageId: string,
    time: number,
  ): Promise<{ readonly isNew: boolean; readonly isAnnotated: boolean }>;
}
