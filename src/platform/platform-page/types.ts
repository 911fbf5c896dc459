// What the page reads from the platform, as the contract has it.

import type { embeddedOperations } from '../../contract/index.ts';
import type { Answer, Input } from '../../contract/operation.ts';
import type { Box, Point, RefusedBox, Size } from './boxes.ts';
import type { ClassNumbers } from './labelling/class-numbers.js';
import type { KeptLabels } from './labelling/kept-labels.js';

type Operations = typeof embeddedOperations;

export type Workspace = Answer<Operations['workspace_get']>['workspace'];
export type Project = Workspace['projects'][number];
export type ProjectAnswer = Answer<Operations['projects_get']>;
export type Health = Answer<Operations['projects_health']>;
export type Image = Answer<Operations['images_get']>['image'];
export type Found = Answer<Operations['images_search']>;
export type FoundInWorkspace = Answer<Operations['workspace_search']>;
export type Job = Answer<Operations['annotation_jobs_list']>['jobs'][number];
export type JobImages = Answer<Operations['annotation_jobs_images']>;
export type JobImage = JobImages['images'][number];
export type JobAgreement = Answer<Operations['annotation_jobs_agreement']>;
export type Agreement = JobAgreement['agreement'][number];
export type JobDecision = Answer<Operations['annotation_jobs_decide']>;
export type ImagePredictions = Answer<Operations['images_predictions']>;
export type Preview = Answer<Operations['versions_preview']>;
export type VersionAnswer = Answer<Operations['versions_get']>['version'];
export type Training = Answer<Operations['trainings_list']>['trainings'][number];
export type TrainingAnswer = Answer<Operations['trainings_get']>;
export type Batch = Answer<Operations['batches_list']>['batches'][number];
export type EvaluationRow = Answer<Operations['evaluations_list']>['evaluations'][number];
export type Evaluation = Answer<Operations['evaluations_get']>;
export type Recommendation = NonNullable<Evaluation['recommendations']>[number];
export type SweepPoint = NonNullable<Evaluation['points']>[number];
export type Comparison = Answer<Operations['evaluations_compare']>;
export type TaskList = Answer<Operations['tasks_list']>;
export type Activity = Answer<Operations['activity_list']>;
export type ActivityEntry = Activity['entries'][number];
export type ApiKeys = Answer<Operations['api_keys_list']>;
export type ApiKey = ApiKeys['apiKeys'][number];
export type NewApiKey = Answer<Operations['api_keys_create']>;
export type UseCases = Answer<Operations['use_cases_list']>;
/** As it was recorded. */
export type VisionEvent = Input<Operations['vision_events_create']>;
export type EventImage = NonNullable<VisionEvent['images']>[number];
export type EventPicture = Answer<Operations['vision_events_image']>;
export type Folders = Answer<Operations['folders_list']>;
export type Trash = Answer<Operations['trash_list']>;
export type TrashItem = Trash['items'][number];

/** What a view shows, and how it is brought up to date. */
export interface View {
  readonly title: string;
  readonly content: Node;
  /** Asked every two seconds while somebody looks; undefined: nothing changes by itself. */
  readonly refresh?: () => Promise<void>;
  /** Whether something in it is dragged: the next view waits for the end of that. */
  readonly isHeld?: () => boolean;
}

/** Which images come one after the other: those of a search, or those of an annotation job. */
export interface QueueName {
  /** In the search language; empty: all images of the project. */
  readonly query: string;
  /** Id of an annotation job; empty: the search. */
  readonly job: string;
}

/** Where the labels of a queue are read from and saved to. */
export interface ImageLabels {
  /** Whether they are kept apart from those of the images. */
  readonly areApart: boolean;
  readonly read: (id: string) => Promise<Image>;
  /** Gives the new revision; `file` is an annotation file, which no person has looked at. */
  readonly save: (
    id: string,
    file: string,
    seen: SeenLabels,
    isPrediction?: boolean,
  ) => Promise<string>;
  /** What classes are called since that state; undefined: labels that are apart keep theirs. */
  readonly classesSince?: (state: string) => Promise<RenamedClasses>;
  /** Takes the annotation of this revision away; gives that of none. Undefined: they stay. */
  readonly remove?: (id: string, revision: string) => Promise<string>;
  /** Who changed them last, but for who asks; in words. */
  readonly otherPerson: (id: string) => Promise<string>;
}

/** What a person had before them who changed it. */
export interface SeenLabels {
  readonly revision: string;
  /** Of the classes; undefined: those that are named are meant as they are. */
  readonly classState?: string;
}

export interface RenamedClasses {
  readonly class_state: string;
  readonly renamed: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
}

/** What labelling asks of the platform. Failures are an `ApiError`. */
export interface LabellingService {
  readonly getProject: (project: string) => Promise<ProjectAnswer>;
  readonly getImage: (project: string, id: string) => Promise<Image>;
  /** The same with an original that the page may draw. */
  readonly getDrawnImage: (project: string, id: string) => Promise<Image>;
  /** Rather those of the evaluation, where it kept some. */
  readonly getPredictions: (
    project: string,
    id: string,
    evaluation?: string,
  ) => Promise<ImagePredictions>;
  /** Gives all that are refused then. */
  readonly refusePredictions: (
    project: string,
    id: string,
    change: RefusalChange,
  ) => Promise<readonly RefusedBox[]>;
  readonly searchWorkspace: (
    query: string,
    pageSize: number,
    continuationToken?: string,
  ) => Promise<FoundInWorkspace>;
  /** Gives the new revision, as `labelInJob`; `prediction`: no person has looked at them. */
  readonly annotateImage: (
    project: string,
    id: string,
    annotationFile: string,
    seen: SeenLabels,
    prediction?: boolean,
  ) => Promise<string>;
  /** What classes are called since that state of them; without one: the state of now. */
  readonly getClassesRenamed: (project: string, since?: string) => Promise<RenamedClasses>;
  readonly labelInJob: (
    project: string,
    job: string,
    id: string,
    annotationFile: string,
    revision: string,
  ) => Promise<string>;
  readonly removeAnnotation: (project: string, id: string, revision: string) => Promise<void>;
  /** All images of the job, or one. */
  readonly getJobImages: (project: string, job: string, image?: string) => Promise<JobImages>;
  readonly decideImage: (
    project: string,
    job: string,
    image: string,
    decision: Readonly<Record<string, unknown>>,
  ) => Promise<JobDecision>;
  /** Gives the id of the annotation job. */
  readonly createReview: (
    project: string,
    instructions: string,
    images: readonly string[],
    ordered: boolean,
  ) => Promise<string>;
  /** Who changed labels of an image last, where the page did not; undefined: it is not known. */
  readonly lastPersonAt?: (project: string, image: string) => Promise<string | undefined>;
  /** Of a credential; undefined: it is none of a person who is known. */
  readonly personName?: (who: string) => string | undefined;
  /** Whether that credential is the one of this page; undefined: it is not known. */
  readonly isMe?: (who: string) => boolean;
  /** Shows what stands at an address; false: it is shown already. */
  readonly goTo: (address: string) => boolean;
}

/** Where an image is in its queue: addresses of its neighbours, and all ids. */
export interface Place {
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** In words; empty: in no queue. */
  readonly where: string;
  readonly queue: QueueName;
  readonly ids: readonly string[];
  /** Whether they come from a search with an order of its own. */
  readonly isOrdered: boolean;
  /** Whether they come in an order that somebody chose, or are known to be of a video. */
  readonly areFrames: boolean;
  readonly classes: ClassNumbers;
  readonly labels: ImageLabels;
  /** Those that are not saved yet. */
  readonly kept: KeptLabels;
  /** What was decided about the image, in an annotation job. */
  readonly known: JobImages | undefined;
}

/** A box as this platform answers it, by its centre. */
export interface BoxOnWire extends Size, Point, Pick<Box, 'points' | 'keypoints'> {
  readonly label: string;
}

/** Predictions that are refused from now on, and those that are not any more. */
export interface RefusalChange {
  readonly refuse: readonly RefusedBox[];
  readonly restore: readonly RefusedBox[];
}

/** How far the labels of an image are saved. */
export type SaveState<Labels> =
  | { readonly name: 'saved' | 'saving' }
  /** They are sent again by themselves, or never. */
  | { readonly name: 'waiting' | 'refused'; readonly words: string }
  /** Somebody has changed them to these. */
  | {
      readonly name: 'conflict';
      readonly theirs: Labels;
      readonly by: string;
      /** What became of classes meanwhile, in sentences. */
      readonly classNews?: string;
    };

/** What a list has read: a page of it, or all. */
export interface Loaded<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined: this was the last one. */
  readonly after?: unknown;
  /** Of all pages, where the service says so. */
  readonly total?: number | undefined;
  /** False: there are more that no page has. */
  readonly isWhole?: boolean;
}

/** By what a service filters a list; in the address under its name. */
export interface Field {
  readonly name: string;
  readonly words: string;
  /** Of a choice; undefined: what is typed. */
  readonly options?: readonly { readonly value: string; readonly words: string }[];
  readonly type?: 'text' | 'datetime-local' | 'search';
  readonly placeholder?: string;
}
