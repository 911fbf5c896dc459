// Annotation jobs, their images and their progress: the store's interface.

export type ImageState = 'unannotated' | 'annotated' | 'approved' | 'rejected';

/**
 * `assigned`: nothing is labelled yet. `in_review`: all of it is, and waits for a review.
 * `completed`: every image was approved or rejected; of an independent job: all are labelled.
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
  /** Whether its labels are kept apart from those of the images. */
  readonly isIndependent: boolean;
  readonly images: number;
  /** Images that were deleted before anybody decided about them, or labelled them apart. */
  readonly goneUndecided: number;
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
export type NewChosenJob = Omit<NewAnnotationJob, 'batchId'> & {
  /** Whether they are shown in the order in which they are given, not by name. */
  readonly isOrdered?: boolean;
};

/** What a person is asked to do; undefined members leave the job as it is. */
export interface AskedReview {
  readonly instructions: string | undefined;
  readonly reviewer: string | undefined;
}

/** Of a completed job: what is known of the labels of its images. */
export interface ReviewCoverage {
  /** Images whose labels are others since the review was asked for, up to their decision. */
  readonly changed: number;
  /** Images whose labels from before are not known: no review was asked for when they came. */
  readonly unknown: number;
}

/** Who changed the labels of an image in a job where nobody has decided about it. */
export interface OpenChanger {
  readonly jobId: string;
  /** The credential. */
  readonly who: string;
}

/** How often somebody decided last about images of a job. */
export interface Decider {
  /** A credential; undefined: it is not known. */
  readonly by: string | undefined;
  readonly approved: number;
  readonly rejected: number;
}

/** An image whose labels were changed during its review. */
export interface ChangedImage {
  readonly imageId: string;
  readonly name: string;
  /** Credentials, one more than are told at most; none: it is not known. */
  readonly changedBy: readonly string[];
  readonly decidedBy: string | undefined;
}

/** Its labels when the review was asked for and when it was decided, as JSON; undefined: none. */
export interface ChangedLabels {
  readonly imageId: string;
  readonly labels: readonly [string | undefined, string | undefined] | 'tooLong';
}

export interface JobReview {
  readonly approve: readonly string[];
  readonly reject: readonly string[];
  /** The credential. */
  readonly by: string;
}

/** An image of a job; `comment`, `decidedBy` and `decidedAt` are of the last decision. */
export interface JobImage {
  readonly jobId: string;
  readonly imageId: string;
  readonly name: string;
  readonly state: ImageState;
  readonly comment: string | undefined;
  readonly decidedBy: string | undefined;
  /** Milliseconds since 1970. */
  readonly decidedAt: number | undefined;
  readonly decisions: number;
  /** Whether the labels are others since: the decision stands no more. */
  readonly labelsChanged: boolean;
}

export interface Decision {
  readonly state: 'approved' | 'rejected';
  readonly comment: string | undefined;
  readonly by: string;
  /** How many decisions who decides has seen. */
  readonly seenDecisions: number;
  /** The labels that they have seen; undefined: they do not say. */
  readonly seenRevision: string | undefined;
}

export interface JobImagesPage {
  readonly imageId?: string | undefined;
  /** Only in this state. */
  readonly state?: ImageState | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Why a job with chosen images was not added: ids of some images. */
export type NotFree =
  | { readonly kind: 'unknown'; readonly imageIds: readonly string[] }
  | {
      readonly kind: 'in-open-job';
      readonly imageIds: readonly string[];
      /** The job of the first of them. */
      readonly jobId: string;
    };

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
  /**
   * Adds a job with these images for a review, as `addChosen`; its labels are kept as they are, to
   * tell what becomes of them.
   */
  addReview(
    job: NewChosenJob,
    imageIds: readonly string[],
    asked: AskedReview,
  ): Promise<AnnotationJob | NotFree>;
  /** The same for the images of a job; labels that were kept before stay. */
  askReview(jobId: string, asked: AskedReview): Promise<void>;
  reviewCoverage(jobId: string): Promise<ReviewCoverage>;
  /** So many of those that `reviewCoverage` counts as changed, by name. */
  changedImages(jobId: string, countMax: number): Promise<readonly ChangedImage[]>;
  /** Those who decided about most images first, so many at most. */
  deciders(jobId: string, countMax: number): Promise<readonly Decider[]>;
  /** Of an image, but for this credential; so many at most. */
  openChangers(
    imageId: string,
    otherThan: string,
    countMax: number,
  ): Promise<readonly OpenChanger[]>;
  /** Of these images of a review, in any order. */
  changedLabels(jobId: string, imageIds: readonly string[]): Promise<readonly ChangedLabels[]>;
  list(projectId: string): Promise<readonly AnnotationJob[]>;
  find(projectId: string, jobId: string): Promise<AnnotationJob | undefined>;
  /** An open job that has one of these images; undefined: none has. */
  openJobOf(imageIds: readonly string[]): Promise<string | undefined>;
  /** Of any project of a workspace that is not in the trash. */
  findAnywhere(workspaceId: string, jobId: string): Promise<AnnotationJob | undefined>;
  /** The newest approval or rejection of an image, be it of other labels by now. */
  newestDecision(imageId: string): Promise<JobImage | undefined>;
  /** By their names, or in the order that they were given in. */
  images(jobId: string, page: JobImagesPage): Promise<readonly JobImage[]>;
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
  /**
   * Decides about one image; the same decision once more changes nothing. Throws `conflict` where
   * its labels or its decision are others than those that were seen, and for an approval of what
   * nobody annotated. Undefined: it is not in the job.
   */
  decide(
    jobId: string,
    imageId: string,
    decision: Decision,
    now: number,
  ): Promise<JobImage | undefined>;
}

export interface NamedJob {
  readonly name: string;
  readonly createdBy: string;
}
