// Auto Label jobs and their progress: the store's interface.

import type { Annotation } from '../../annotations/annotation.ts';
import type { ErrorCode } from '../../errors.ts';
import type { NewAnnotationJob } from './annotation-jobs.ts';
import type { FencedTransaction } from './fenced-transaction.ts';
import type { NewInference } from './inferences.ts';

export interface AutolabelSettings {
  /** As it was asked for. */
  readonly modelType: string;
  /** What the platform runs; undefined: nothing that it could. */
  readonly modelId: string | undefined;
  /** Class of the model to class of the project. */
  readonly ontology: Readonly<Record<string, string>>;
  readonly defaultConfidence: number;
  /** Class of the project to least confidence. */
  readonly confidenceThresholds: Readonly<Record<string, number>>;
  readonly runNms: boolean;
}

export interface AutolabelCounts {
  /** All that it is to look at. */
  readonly images: number;
  readonly labelled: number;
  /** In which the model saw nothing; they stay without annotation. */
  readonly empty: number;
  /** Which somebody annotated in the meantime, or removed; or which cannot be read. */
  readonly skipped: number;
  readonly boxes: number;
}

export interface AutolabelJob extends AutolabelCounts {
  readonly id: string;
  readonly projectId: string;
  readonly annotationJobId: string | undefined;
  readonly settings: AutolabelSettings;
  readonly created: number;
}

export interface NewAutolabelJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly settings: AutolabelSettings;
  readonly created: number;
}

/** What the model saw in one image. */
export interface LabelledImage {
  readonly imageId: string;
  /** Undefined: nothing, or it could not be looked at. */
  readonly annotation: Annotation | undefined;
  /** Undefined: the model had nothing to look at. With an error: the image cannot be read. */
  readonly inference: NewInference | undefined;
}

export interface AutolabelStore {
  /**
   * Adds a job, with an annotation job of at most `imagesMax` images and its task; undefined where
   * the batch has no image that waits for labels.
   */
  add(
    job: NewAutolabelJob,
    annotationJob: NewAnnotationJob,
    imagesMax: number,
  ): Promise<AutolabelJob | undefined>;
  /** Adds a job whose task has failed already. */
  addFailed(job: NewAutolabelJob, message: string, code: ErrorCode): Promise<AutolabelJob>;
  /** By id, in any project. */
  get(id: string): Promise<AutolabelJob | undefined>;
  /** Images that are still to be looked at, in their order. */
  open(id: string, countMax: number): Promise<readonly string[]>;
  /** Keeps what came of an image; nothing replaces what somebody annotated. */
  keep(
    id: string,
    image: LabelledImage,
    fenced: FencedTransaction,
    now: number,
  ): Promise<AutolabelCounts>;
  /**
   * Its run is over, well or not: images without an annotation are free again, be it that the model
   * saw nothing in them or did not get to them. Where none is left, its annotation job goes.
   */
  end(id: string, fenced: FencedTransaction): Promise<void>;
}
