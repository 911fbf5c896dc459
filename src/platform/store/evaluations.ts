// Evaluations of models and of files of predictions: the store's interface.

import type { WrittenAnnotation } from '../../annotations/serialized-annotation.ts';
import type { LabelMistakeKind } from '../../contract/evaluations.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { NewTask } from '../../storage/task-queue.ts';
import type { FencedTransaction } from './fenced-transaction.ts';
import type { Annotated } from './images.ts';

export interface NewEvaluation {
  /** Also the id of its task. */
  readonly id: string;
  readonly projectId: string;
  readonly settings: EvaluationSettings;
  /** The file of predictions, kept as it was given. */
  readonly predictionsHash: string | undefined;
  readonly created: number;
}

/** What is judged, and by which labels: a split of a version, or what a query finds. */
export interface EvaluationSettings {
  readonly version?: number | undefined;
  readonly split?: SplitName | undefined;
  readonly query?: string | undefined;
  readonly modelId?: string | undefined;
  /** Name of the file. */
  readonly predictions?: string | undefined;
  /** That of counts; undefined: of the best F1. */
  readonly confidence?: number | undefined;
}

export interface Evaluation extends NewEvaluation {
  /** JSON of what was found out; undefined until it is done. */
  readonly figures: string | undefined;
}

/** An image that was judged. */
export interface JudgedImage {
  readonly ordinal: number;
  readonly name: string;
  readonly hash: string;
  /** That of the project; undefined in an evaluation of an earlier version of Fovea. */
  readonly imageId: string | undefined;
  /** JSON of its labels and of what was found, to be drawn. */
  readonly boxes: string;
  readonly outcomes: readonly Outcome[];
  readonly confusions: readonly ConfusedLabels[];
  readonly mistakes: readonly FoundMistake[];
}

/** How often a class was found in place of another, or of itself; empty: the background. */
export interface ConfusedLabels {
  readonly truth: string;
  readonly found: string;
  readonly count: number;
}

/** A label that is possibly wrong. */
export interface FoundMistake {
  readonly kind: LabelMistakeKind;
  readonly score: number;
  /** The class of the label; undefined where none is. */
  readonly label: string | undefined;
  /** The class that is there instead. */
  readonly found: string;
  /** JSON of the boxes of both, as `inference_draw` takes them. */
  readonly boxes: string;
}

export interface KeptMistake extends FoundMistake {
  /** Which one of its image it is. */
  readonly place: number;
  /** Where it was mended, in the list of labels; undefined: it was not, or that is taken back. */
  readonly mendedPlace: number | undefined;
  /** The revision of the annotation as mends of this evaluation left it. */
  readonly mendedRevision: string | undefined;
  /** When that annotation was saved. */
  readonly mendedAt: number | undefined;
}

export type MendMark = Pick<KeptMistake, 'place' | 'mendedPlace'>;

export interface MendedImage {
  readonly evaluationId: string;
  readonly ordinal: number;
  readonly imageId: string;
  readonly isPredicted: boolean;
  readonly annotatedAt: number | undefined;
}

export interface ImageMend {
  /** Undefined: the labels stay as they are. */
  readonly annotation: WrittenAnnotation | undefined;
  /** The revision of the annotation that it replaces. */
  readonly replaces: string;
  readonly marks: readonly MendMark[];
}

/** Counts of one class. */
export interface Outcome extends Counts {
  readonly label: string;
}

export interface Counts {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly misses: number;
}

export interface ResultsPage {
  readonly total: number;
  readonly results: readonly (FoundImage & Counts)[];
}

/** What is told of an image in a page. */
export type FoundImage = Omit<JudgedImage, 'outcomes' | 'confusions' | 'mistakes'>;

export interface MistakesPage {
  readonly total: number;
  /** Of all images of all pages. */
  readonly kinds: Readonly<Partial<Record<LabelMistakeKind, number>>>;
  readonly results: readonly (FoundImage & { readonly mistakes: readonly KeptMistake[] })[];
}

export interface WantedResults {
  /** Only what is of this class. */
  readonly label: string | undefined;
  /** Only images with such errors. */
  readonly only: 'misses' | 'false_positives' | undefined;
  /** Only images that count in this cell of the confusion matrix, the most often first. */
  readonly confused: Omit<ConfusedLabels, 'count'> | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface WantedMistakes {
  /** Only where the label or what is there is of this class. */
  readonly label: string | undefined;
  readonly kind: LabelMistakeKind | undefined;
  readonly scoreMin: number;
  /** Of these images alone. */
  readonly imageIds: readonly string[] | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface ComparedEvaluations {
  readonly before: string;
  readonly after: string;
}

/** Images that only one has, and those that both have. */
export interface ImagesApart {
  readonly before: number;
  readonly after: number;
  readonly both: number;
}

/** Images in which the number of errors changed. */
export interface ChangesPage {
  readonly total: number;
  readonly better: number;
  readonly worse: number;
  readonly changed: readonly {
    readonly image: string;
    readonly imageId?: string;
    readonly before: Counts;
    readonly after: Counts;
  }[];
}

export interface EvaluationStore {
  /** With its work, in one transaction. */
  add(evaluation: NewEvaluation, task: NewTask): Promise<void>;
  get(id: string): Promise<Evaluation | undefined>;
  /** Newest first. */
  list(projectId: string): Promise<readonly Evaluation[]>;
  /** Without images of an attempt that was broken off. */
  begin(id: string, fenced: FencedTransaction): Promise<void>;
  addImages(id: string, images: readonly JudgedImage[], fenced: FencedTransaction): Promise<void>;
  finish(id: string, figures: string, fenced: FencedTransaction): Promise<void>;
  /** With all that is kept of it. */
  remove(id: string): Promise<void>;
  /** The newest one, or that one, that is done and judged this image as it is, with its boxes. */
  ofImage(
    projectId: string,
    image: { readonly imageId: string; readonly hash: string },
    id?: string,
  ): Promise<{ readonly evaluation: Evaluation; readonly boxes: string } | undefined>;
  /** Images with most that is wrong or missing first. */
  results(id: string, wanted: WantedResults): Promise<ResultsPage>;
  /**
   * Judged images that are in the split train of a version; of no version: of the project now.
   */
  countTrained(id: string, versionId: string | undefined): Promise<number>;
  imagesApart(ids: ComparedEvaluations): Promise<ImagesApart>;
  /** Of the same images. */
  changes(
    ids: ComparedEvaluations,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<ChangesPage>;
  /** Images with the most probable mistakes first. */
  mistakes(id: string, wanted: WantedMistakes): Promise<MistakesPage>;
  /** Changes the labels of an image and marks its mistakes, both or nothing. */
  mend(image: MendedImage, mend: ImageMend, now: number): Promise<Annotated>;
}
