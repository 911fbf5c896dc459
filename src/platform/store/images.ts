// Images of a project, with their annotations, tags and metadata: the store's interface.

import type { Annotation } from '../../annotations/annotation.ts';
import type { WrittenAnnotation } from '../../annotations/serialized-annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { ImageFormat } from '../../imaging/image-format.ts';
import type { NamedJob } from './annotation-jobs.ts';
import type { Project } from './projects.ts';

export interface NewImage {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** SHA-256 of the bytes, hex: the name of the blob. */
  readonly hash: string;
  readonly bytes: number;
  readonly format: ImageFormat;
  /** Pixels as stored, before any EXIF turn. */
  readonly width: number;
  readonly height: number;
  readonly split: SplitName;
  readonly batchName: string;
  readonly tags: readonly string[];
  readonly metadata: Metadata;
  /** What its sender said of where it comes from: kept, and shown with the image. */
  readonly sequenceNumber: number | undefined;
  readonly sequenceSize: number | undefined;
  readonly inferenceId: string | undefined;
  readonly created: number;
}

export type Metadata = Readonly<Record<string, string | number | boolean>>;

export interface Image extends Omit<NewImage, 'batchName'> {
  readonly batchId: string;
  /** Undefined: not annotated. */
  readonly annotation: Annotation | undefined;
  /** Whether a model made the annotation, and no person has approved it. */
  readonly isPredicted: boolean;
  /** Undefined: not annotated. */
  readonly annotatedAt: number | undefined;
}

/** How an annotation is to be taken. */
export interface AnnotateOptions {
  /** Whether one that is there is replaced. */
  readonly overwrite: boolean;
  /** The revision that is replaced; undefined: whichever it is. */
  readonly replaces?: string;
  /** The state of the classes that its author has seen; undefined: whichever it is. */
  readonly classState?: string;
  /** Whether a model made it. */
  readonly isPredicted: boolean;
  /** When it was made; undefined: now. */
  readonly annotatedAt?: number;
  /** The annotation job for which it counts, beside those that have the image. */
  readonly job?: NamedJob;
}

export type Annotated =
  | 'annotated'
  | 'was_annotated'
  | 'was_changed'
  | 'classes_were_changed'
  | 'missing';

export interface Batch {
  readonly id: string;
  readonly name: string;
  readonly images: number;
  /** Annotation jobs on images of it. */
  readonly jobs: number;
  readonly created: number;
}

export interface TagChange {
  readonly operation: 'add' | 'remove' | 'set';
  readonly tags: readonly string[];
}

export interface ImageChange {
  readonly metadata: Metadata;
  readonly removeMetadata: readonly string[];
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
}

/** When images were deleted, and by whom. */
export interface Deletion {
  readonly now: number;
  readonly deletedBy: string;
}

/** An image that was added, or that is there already with the split that it has. */
export interface AddedImage {
  readonly id: string;
  /** The name that it has: a duplicate keeps that of the first. */
  readonly name: string;
  readonly duplicate: boolean;
  readonly split: SplitName;
}

/** An image with the labels that came along. */
export interface AnnotatedNewImage {
  readonly image: NewImage;
  readonly annotation: WrittenAnnotation | undefined;
}

/** Around its centre, in pixels of the image. */
export interface RefusedBox {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface RefusalChange {
  readonly refuse: readonly RefusedBox[];
  readonly restore: readonly RefusedBox[];
}

export interface ImageStore {
  /**
   * Adds an image, with its annotation if there is one; one with the same bytes in the same project
   * is given back instead, as it is.
   */
  add(image: NewImage, annotation?: WrittenAnnotation): Promise<AddedImage>;
  /** The same for many of one project, in one transaction. They are given back in their order. */
  addAll(projectId: string, images: readonly AnnotatedNewImage[]): Promise<readonly AddedImage[]>;
  findByHash(projectId: string, hash: string): Promise<AddedImage | undefined>;
  /** By id, within a project. */
  find(projectId: string, imageId: string): Promise<Image | undefined>;
  /** The same of many, by their ids: those that are there. */
  findAll(projectId: string, imageIds: readonly string[]): Promise<ReadonlyMap<string, Image>>;
  /** The project of an image, within a workspace. */
  projectOf(workspaceId: string, imageId: string): Promise<Project | undefined>;
  /** Nothing changes when there is one already that must not be replaced, or another than told. */
  annotate(
    imageId: string,
    annotation: WrittenAnnotation,
    options: AnnotateOptions,
    now: number,
  ): Promise<Annotated>;
  /** Takes the annotation of this revision away. */
  removeAnnotation(imageId: string, revision: string, now: number): Promise<Annotated>;
  /** The predictions of an image that people refused. */
  refused(imageId: string): Promise<readonly RefusedBox[]>;
  /** Those that are refused then. Throws `invalid_argument` when they are too many. */
  changeRefused(imageId: string, change: RefusalChange): Promise<readonly RefusedBox[]>;
  /** The tags that it has now; undefined when there is no such image. */
  changeTags(imageId: string, change: TagChange): Promise<readonly string[] | undefined>;
  /** False when there is no such image. */
  change(imageId: string, change: ImageChange): Promise<boolean>;
  /** Atomic, into the trash: gives the unknown ids, in which case nothing is removed. */
  remove(
    projectId: string,
    imageIds: readonly string[],
    deletion: Deletion,
  ): Promise<readonly string[]>;
  batches(projectId: string): Promise<readonly Batch[]>;
}
