// Starts the thread that reads annotation files, and the messages that it takes and sends.

import { extname } from 'node:path';
import type { AnnotatedImage, Labelmap } from '../../annotation-formats/annotation-file.ts';
import type { ReadClassList } from '../../annotation-formats/class-lists.ts';
import type { Matches } from '../../annotation-formats/match-annotations.ts';
import type { ReadAnnotation } from '../../annotation-formats/parse-annotation.ts';
import type { ProjectType } from '../../annotations/annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { startWorkerThread, type WorkerThread } from '../../worker-thread.ts';
import type { SourceFile } from '../zip-import/import-source.ts';

export type AnnotationThread = WorkerThread<ToAnnotationThread, FromAnnotationThread>;

/** It ends when it is idle for `idleMsMax`, if that is given. Throws the reason of an abort. */
export function startAnnotationThread(
  data: AnnotationThreadData,
  signal: AbortSignal,
  idleMsMax?: number,
): Promise<AnnotationThread> {
  const entry = new URL(`./annotation-worker${extname(import.meta.url)}`, import.meta.url);
  const megabytesMax = limits.annotationThreadMegabytesMax;
  return startWorkerThread({ entry, data, megabytesMax, idleMsMax }, signal);
}

/** What the thread is told when it starts. */
export interface AnnotationThreadData {
  /** Of the images of the archive: names in lists that are about none of these are left out. */
  readonly imagePaths: readonly string[];
}

export type ToAnnotationThread =
  | { readonly kind: 'class list'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: 'split list'; readonly bytes: Uint8Array }
  /** A list that a data.yaml names. */
  | { readonly kind: 'image list'; readonly path: string; readonly bytes: Uint8Array }
  /** Known to the thread under its path from then on. `file` is where its bytes are on the disk. */
  | { readonly kind: 'document'; readonly path: string; readonly file: string }
  | { readonly kind: 'pair'; readonly toPair: MatchQuestion }
  | { readonly kind: 'own'; readonly file: OwnFile; readonly content: Uint8Array | string }
  | {
      readonly kind: 'of document';
      readonly path: string;
      readonly name: string;
      readonly image: AnnotatedImage;
    };

/** `documents` are those that the thread has. */
export interface MatchQuestion {
  readonly images: readonly SourceFile[];
  readonly own: readonly SourceFile[];
  readonly documents: readonly SourceFile[];
  /** Splits that lists give to images, by their keys. */
  readonly named: ReadonlyMap<string, SplitName>;
  readonly projectType: ProjectType;
}

/** An annotation file for one image. */
export interface OwnFile {
  readonly fileName: string | undefined;
  readonly image: AnnotatedImage;
  /** `same`: that of the last file that had one; a large one is not sent ten thousand times. */
  readonly labelmap: Labelmap | 'same' | undefined;
  readonly projectType: ProjectType;
}

export type FromAnnotationThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'class list'; readonly list: ReadClassList }
  | { readonly kind: 'split list'; readonly names: readonly string[] }
  | { readonly kind: 'image list'; readonly images: readonly string[] }
  | { readonly kind: 'document' }
  | { readonly kind: 'paired'; readonly pairs: Matches<SourceFile> }
  | { readonly kind: 'annotation'; readonly read: ReadAnnotation }
  | Refused;

/** What is wrong with a file, in our words. */
export interface Refused {
  readonly kind: 'refused';
  readonly problem: string;
  /** It was text, and says nothing that can be used. */
  readonly isMisread: boolean;
  /** The error with all that it says, where it was one of ours. */
  readonly failure?: Pick<FoveaError, 'code' | 'message' | 'hint' | 'problems'>;
}
