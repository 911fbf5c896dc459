// Annotation jobs, their images and their progress: the store's interface.

export type ImageState = 'unannotated' | 'annotated' | 'approved' | 'rejected';

/**
 * `assigned`: nothing is labelled yet. `in_review`: all of it is, and waits for a review.
 * `completed`: every image was approved or rejected.
 */
export type AnnotationJobStatus = 'assigned' | 'in_progress' | 'in_review' | 'completed';

export interface AnnotationJob {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly batchId: string | undefined;
  readonly labeler: string | undefined;
  readonly reviewer: string | undefined;
  readonly createdBy: string;
  readonly instructions: string | undefined;
  readonly created: number;
  readonly status: AnnotationJobStatus;
  readonly images: number;
  readonly states: Readonly<Record<ImageState, number>>;
}

export interface NewAnnotationJob {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly batchId: string;
  readonly labeler: string | undefined;
  readonly reviewer: string | undefined;
  readonly createdBy: string;
  readonly created: number;
}

/** A job whose images were chosen one by one. */
export type NewChosenJob = Omit<NewAnnotationJob, 'batchId'>;

export interface JobReview {
  readonly approve: readonly string[];
  readonly reject: readonly string[];
}

/** Why a job with chosen images was not added: ids of some images. */
export type NotFree =
  | { readonly kind: 'unknown'; readonly imageIds: readonly string[] }
  | { readonly kind: 'in-open-job'; readonly imageIds: readonly string[] };

export interface AnnotationJobStore {
  /**
   * Adds a job with the oldest images of its batch that nobody annotated and no open job has; as
   * many as `images` says. Else nothing changes: the number of those that there are is given back.
   */
  add(
    job: NewAnnotationJob,
    images: number,
  ): Promise<{ readonly job: AnnotationJob | undefined; readonly free: number }>;
  /** Adds a job with exactly these images, annotated ones too; else nothing changes. */
  addChosen(job: NewChosenJob, imageIds: readonly string[]): Promise<AnnotationJob | NotFree>;
  list(projectId: string): Promise<readonly AnnotationJob[]>;
  find(projectId: string, jobId: string): Promise<AnnotationJob | undefined>;
  images(
    jobId: string,
  ): Promise<readonly { readonly imageId: string; readonly state: ImageState }[]>;
  /**
   * Approves and rejects images of a job, all or none; a rejected annotation that a model made is
   * removed. Throws `invalid_input` for images of no such job, `conflict` for an approval of what
   * nobody annotated. Undefined: there is no such job.
   */
  review(
    projectId: string,
    jobId: string,
    review: JobReview,
    now: number,
  ): Promise<AnnotationJob | undefined>;
}

export interface NamedJob {
  readonly name: string;
  readonly createdBy: string;
}
