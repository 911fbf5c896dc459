// Frozen dataset versions, their images and exports: the store's interface.

import type { Annotation } from '../../annotations/annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { VersionSettings } from '../../contract/version-settings.ts';
import type { Candidate, ImageFilter } from '../../dataset-versions/filter-and-remap.ts';
import type { SourceOutline } from '../../dataset-versions/render-batches.ts';
import type { ErrorCode } from '../../errors.ts';
import type { ImageFormat } from '../../imaging/image-format.ts';
import type { AwaitedService } from '../../storage/service-away.ts';
import type { FencedTransaction } from './fenced-transaction.ts';
import type { SplitCounts } from './projects.ts';
import type { DiffPage, VersionDiff } from './version-diff.ts';

export type VersionState = 'generating' | 'ready' | 'failed';

export interface Version {
  readonly id: string;
  readonly projectId: string;
  readonly number: number;
  readonly name: string;
  readonly created: number;
  /** Exactly as they were given. */
  readonly settings: VersionSettings;
  readonly state: VersionState;
  /** The async task that generates it. */
  readonly taskId: string;
  /** 0 to 1. */
  readonly progress: number;
  /** What is away, and keeps it from being generated. */
  readonly waitsFor: AwaitedService | undefined;
  readonly error: string | undefined;
  readonly images: number;
  readonly splits: SplitCounts;
  readonly classes: readonly string[];
}

export interface NewVersion {
  readonly id: string;
  readonly projectId: string;
  readonly name: string | undefined;
  readonly settings: VersionSettings;
  readonly taskId: string;
  readonly created: number;
}

/** An image as it was when the version was made. */
export interface VersionSource {
  readonly ordinal: number;
  readonly imageId: string;
  readonly name: string;
  readonly hash: string;
  readonly format: ImageFormat;
  readonly split: SplitName;
  readonly width: number;
  readonly height: number;
  readonly annotation: Annotation | undefined;
  /** Its images are there already. */
  readonly isDone: boolean;
}

/** A frozen image without its labels. */
export interface VersionOutline extends SourceOutline {
  readonly imageId: string;
}

/** All frozen images, or those of train, all others, or those of some ordinals. */
export type ChosenSources =
  | { readonly isTrain?: boolean; readonly ordinals?: undefined }
  | { readonly ordinals: readonly number[]; readonly isTrain?: undefined };

/** What one task makes of a version of many images. */
export interface VersionPart {
  readonly taskId: string;
  /** The ordinals of its sources, as they are made together. */
  readonly batches: readonly (readonly number[])[];
}

/** An image of a finished version. */
export interface VersionImage {
  readonly ordinal: number;
  /** From 0: its place among the images that were made of its source. */
  readonly copy: number;
  readonly name: string;
  readonly hash: string;
  readonly split: SplitName;
  readonly width: number;
  readonly height: number;
  readonly annotation: Annotation | undefined;
}

export interface Export {
  readonly id: string;
  readonly taskId: string;
  /** Undefined until the file is there. */
  readonly hash: string | undefined;
  readonly bytes: number;
  /** Why it could not be made. */
  readonly error: string | undefined;
  readonly errorCode: ErrorCode | undefined;
}

/** An image that a version made now could take. */
export interface VersionCandidate extends Candidate {
  readonly split: SplitName;
  readonly created: number;
}

export interface VersionStore {
  /**
   * The images of the project that the filter keeps, all without one, in their order; in slices
   * that are read as they are asked for. A filter that looks first is given all before.
   */
  candidates(
    projectId: string,
    filter: ImageFilter | undefined,
  ): AsyncIterable<readonly VersionCandidate[]>;
  /**
   * Freezes the rows of the images of the project that the filter keeps, and starts the work that
   * makes the version. Undefined when none is left; throws `conflict` when it was removed
   * meanwhile.
   */
  add(version: NewVersion, filter: ImageFilter | undefined): Promise<Version | undefined>;
  /** Whether a version is being added that began after `since`, so that it may need any image. */
  isFreezing(since: number): Promise<boolean>;
  find(projectId: string, number: number): Promise<Version | undefined>;
  /** By id, also when it is in the trash. */
  get(versionId: string): Promise<Version | undefined>;
  list(projectId: string): Promise<readonly Version[]>;
  /** `workspaceId`: for whom it is. */
  diff(workspaceId: string, fromId: string, toId: string, page: DiffPage): Promise<VersionDiff>;
  /** Ends its trainings too, and the work on it, which goes on when it is restored. */
  trash(versionId: string, now: number, deletedBy: string): Promise<boolean>;
  /** Frozen images in their order, in slices that are read as they are asked for. */
  outlines(versionId: string, chosen?: ChosenSources): AsyncIterable<readonly VersionOutline[]>;
  countSources(versionId: string): Promise<number>;
  /** Whether the images of all sources are there. */
  isMade(versionId: string): Promise<boolean>;
  /** In place of those that it has. */
  keepParts(
    versionId: string,
    parts: readonly VersionPart[],
    fenced: FencedTransaction,
  ): Promise<void>;
  /** The batches of a part, by its task. */
  part(taskId: string): Promise<VersionPart['batches'] | undefined>;
  /** Names of its sources that are known to be unreadable. */
  unreadable(versionId: string): Promise<readonly string[]>;
  /** Those frozen images, in their order. */
  sources(versionId: string, ordinals: readonly number[]): Promise<readonly VersionSource[]>;
  /** Keeps the outputs of some sources, all of each: they are done then. */
  addImages(
    versionId: string,
    sources: readonly VersionSource[],
    images: readonly VersionImage[],
    fenced: FencedTransaction,
  ): Promise<void>;
  /** In their order, those of a split or all; read as they are asked for. */
  images(versionId: string, split?: SplitName): AsyncIterable<VersionImage>;
  /** Makes the version visible as ready, with its counts; not when it has no image. */
  finish(versionId: string, fenced: FencedTransaction): Promise<{ readonly images: number }>;
}

export interface ExportStore {
  /** Formats whose file is there. */
  ready(versionId: string): Promise<readonly string[]>;
  /** The same of all versions of a project, by the ids of those that have some. */
  readyIn(projectId: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Starts the work of an export that is not there; gives back the one there is. One that failed is
   * given back once, so that whoever waits for it hears of it; the next call starts anew.
   */
  ensure(versionId: string, format: string, now: number): Promise<Export>;
  finish(exportId: string, hash: string, bytes: number, fenced: FencedTransaction): Promise<void>;
}
