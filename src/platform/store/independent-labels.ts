// Labels that one person made apart from those of the images, so that two people can be compared:
// the store's interface.

import type { Annotation } from '../../annotations/annotation.ts';
import type { WrittenAnnotation } from '../../annotations/serialized-annotation.ts';
import type {
  AnnotationJob,
  JobImage,
  JobImagesPage,
  NewChosenJob,
  NotFree,
} from './annotation-jobs.ts';

/** What one person said of an image in a job of their own. */
export interface IndependentLabels {
  readonly jobId: string;
  readonly labeler: string | undefined;
  /** Undefined: they have not labelled it yet. */
  readonly annotation: Annotation | undefined;
}

/** With whom a job can be compared; `undefined` stands for the labels of the images themselves. */
export type ComparedWith = Pick<AnnotationJob, 'id' | 'name' | 'labeler'> | undefined;

/** An image that two people labelled; `tooLarge`: what they said is too much to be compared. */
export interface LabelledTwice {
  readonly imageId: string;
  readonly name: string;
  readonly labels: readonly [one: Annotation, other: Annotation] | 'tooLarge';
}

export interface IndependentLabelStore {
  /** Adds a job whose labels are kept apart; other jobs may have the same images. */
  add(job: NewChosenJob, imageIds: readonly string[]): Promise<AnnotationJob | NotFree>;
  /** By their names, as those of another job; nothing is ever decided about them. */
  images(jobId: string, page: JobImagesPage): Promise<readonly JobImage[]>;
  /** Undefined: the image is not in that job. */
  find(jobId: string, imageId: string): Promise<IndependentLabels | undefined>;
  /** Replaces the labels of this revision by others; `was_changed`: there are others by now. */
  label(
    place: { readonly jobId: string; readonly imageId: string },
    annotation: WrittenAnnotation,
    seen: { readonly revision: string | undefined; readonly by: string },
    now: number,
  ): Promise<'labelled' | 'missing' | 'was_changed'>;
  /** What people said of an image in jobs that began before this time. */
  ofImage(imageId: string, before: number): Promise<readonly IndependentLabels[]>;
  /** In how many images of the project's independent jobs somebody used one of these classes. */
  countWithClasses(projectId: string, classes: readonly string[]): Promise<number>;
  /** Jobs with labels of the same images, the newest first, and the labels of the images. */
  comparedWith(job: AnnotationJob): Promise<readonly ComparedWith[]>;
  /** Images that both labelled, by their ids, from the one behind `after` on. */
  labelledTwice(
    job: AnnotationJob,
    other: ComparedWith,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly LabelledTwice[]>;
}
