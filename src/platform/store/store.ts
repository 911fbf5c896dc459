// What the platform keeps, as an interface: SQLite stands behind it here, a server database may
// elsewhere. Every method is one transaction. Times are milliseconds since 1970.

import type { Annotation } from '../../annotations/annotation.ts';
import type { WrittenAnnotation } from '../../annotations/serialized-annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { projectTypes } from '../../contract/projects.ts';
import type { VersionSettings } from '../../contract/version-settings.ts';
import type { SourceOutline } from '../../dataset-versions/batches.ts';
import type { Candidate } from '../../dataset-versions/filters.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Descriptor } from '../../imaging/descriptor.ts';
import type { ImageFormat } from '../../imaging/image-format.ts';
import type { ActiveLearningStore } from './active-learning.ts';
import type { AnnotationJobStore, NamedJob } from './annotation-jobs.ts';
import type { ApiKeyStore } from './api-keys.ts';
import type { AutolabelStore } from './autolabel.ts';
import type { DeploymentStore } from './deployments.ts';
import type { FolderStore } from './folders.ts';
import type { ForkStore } from './forks.ts';
import type { InferenceStore, NewInference } from './inferences.ts';
import type { MetadataStore } from './metadata.ts';
import type { PurgeStore } from './purge.ts';
import type { SearchStore } from './search.ts';
import type { SplitStore } from './splits.ts';
import type { TaskStore } from './tasks.ts';
import type { TrainingStore } from './trainings.ts';
import type { UploadStore } from './uploads.ts';
import type { VideoJobStore } from './video-jobs.ts';
import type { WorkflowStore } from './workflows.ts';

export type ProjectType = (typeof projectTypes)[number];
export type SplitCounts = Readonly<Record<SplitName, number>>;
export type LabelCounts = Readonly<Record<string, number>>;

export interface Workspace {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly created: number;
}

export interface Project {
  readonly id: string;
  readonly workspaceId: string;
  readonly slug: string;
  readonly name: string;
  readonly type: ProjectType;
  readonly annotation: string;
  readonly license: string | undefined;
  /** Others of this platform find it in the catalog, and may fork it. */
  readonly isPublic: boolean;
  readonly folderId: string | undefined;
  readonly created: number;
  readonly updated: number;
}

export interface ProjectCounts {
  readonly images: number;
  readonly unannotated: number;
  readonly splits: SplitCounts;
  readonly classes: LabelCounts;
  readonly versions: number;
}

export interface ProjectHealth {
  readonly images: number;
  readonly annotations: number;
  readonly averageWidth: number;
  readonly averageHeight: number;
  /** Median of width / height; 0 without images. */
  readonly medianRatio: number;
  /** Images that nobody annotated. */
  readonly missing: number;
  /** Images annotated as showing nothing. */
  readonly empty: number;
  readonly classes: LabelCounts;
}

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
  /** How it looks, where that is known. */
  readonly descriptor?: Descriptor;
  readonly created: number;
}

export type Metadata = Readonly<Record<string, string | number | boolean>>;

export interface Image extends Omit<NewImage, 'batchName' | 'descriptor'> {
  readonly batchId: string;
  /** Undefined: nobody annotated the image. */
  readonly annotation: Annotation | undefined;
  /** Whether a model made the annotation, and nobody has looked at it. */
  readonly isPredicted: boolean;
}

/** How an annotation is to be taken. */
export interface AnnotateOptions {
  /** Whether one that is there is replaced. */
  readonly overwrite: boolean;
  /** Whether a model made it. */
  readonly isPredicted: boolean;
  /** The annotation job for which it counts, beside those that have the image. */
  readonly job?: NamedJob;
}

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
}

/** The images of a project that go into a version; undefined: all. */
export type ChooseImages = ((images: readonly Candidate[]) => readonly Candidate[]) | undefined;

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

/** What a worker does inside a transaction that first makes sure that the work is still its own. */
export type FencedTransaction = <T>(writes: () => T) => T;

export interface WorkspaceStore {
  /** The workspace of that slug, made when it is not there. */
  ensure(slug: string, now: number): Promise<Workspace>;
  find(slug: string): Promise<Workspace | undefined>;
}

export interface ProjectStore {
  /** Adds a project; its slug comes from the name and gets a suffix when taken. */
  add(project: Omit<Project, 'slug' | 'updated'>): Promise<Project>;
  find(workspaceId: string, slug: string): Promise<Project | undefined>;
  /** By id, also when it is in the trash. */
  get(projectId: string): Promise<Project | undefined>;
  list(workspaceId: string): Promise<readonly Project[]>;
  /** Of each of these projects, in their order. */
  counts(workspaceId: string, projectIds: readonly string[]): Promise<readonly ProjectCounts[]>;
  health(workspaceId: string, projectId: string): Promise<ProjectHealth>;
  /** Whether it is there, and not in the trash. */
  isLive(projectId: string): Promise<boolean>;
  /**
   * Ends its trainings too. False when it is not there, or in the trash already. `deletedBy` names
   * whoever calls.
   */
  trash(projectId: string, now: number, deletedBy: string): Promise<boolean>;
}

/** An image that was added, or that is there already with the split that it has. */
export interface AddedImage {
  readonly id: string;
  readonly duplicate: boolean;
  readonly split: SplitName;
}

export interface ImageStore {
  /** Adds an image; one with the same bytes in the same project is given back instead. */
  add(image: NewImage): Promise<AddedImage>;
  findByHash(projectId: string, hash: string): Promise<AddedImage | undefined>;
  /** By id, within a project. */
  find(projectId: string, imageId: string): Promise<Image | undefined>;
  /** The project of an image, within a workspace. */
  projectOf(workspaceId: string, imageId: string): Promise<Project | undefined>;
  /** Nothing changes when there is one already and it must not be replaced. */
  annotate(
    imageId: string,
    annotation: WrittenAnnotation,
    options: AnnotateOptions,
    now: number,
  ): Promise<'annotated' | 'was_annotated' | 'missing'>;
  /** The tags that it has now; undefined when there is no such image. */
  changeTags(imageId: string, change: TagChange): Promise<readonly string[] | undefined>;
  /** False when there is no such image. */
  change(imageId: string, change: ImageChange): Promise<boolean>;
  /** Removes all of them, or none: the ids that are not there are given back. */
  remove(projectId: string, imageIds: readonly string[], now: number): Promise<readonly string[]>;
  batches(projectId: string): Promise<readonly Batch[]>;
}

/** An image that a version made now could take. */
export interface VersionCandidate extends Candidate {
  readonly split: SplitName;
  readonly created: number;
}

export interface VersionStore {
  /** All images of the project, in their order. */
  candidates(projectId: string): Promise<readonly VersionCandidate[]>;
  /**
   * Freezes the rows of the images of the project that `choose` keeps, and starts the work that
   * makes the version. Undefined when none is left; throws `conflict` when it was removed
   * meanwhile.
   */
  add(version: NewVersion, choose: ChooseImages): Promise<Version | undefined>;
  /** Whether a version is being added that began after `since`, so that it may need any image. */
  isFreezing(since: number): Promise<boolean>;
  find(projectId: string, number: number): Promise<Version | undefined>;
  /** By id, also when it is in the trash. */
  get(versionId: string): Promise<Version | undefined>;
  list(projectId: string): Promise<readonly Version[]>;
  /** Ends its trainings too. */
  trash(versionId: string, now: number, deletedBy: string): Promise<boolean>;
  /** All frozen images, in their order. */
  outlines(versionId: string): Promise<readonly SourceOutline[]>;
  /** Those frozen images, in their order. */
  sources(versionId: string, ordinals: readonly number[]): Promise<readonly VersionSource[]>;
  /** Keeps the outputs of some sources, all of each: they are done then. */
  addImages(
    versionId: string,
    sources: readonly VersionSource[],
    images: readonly VersionImage[],
    fenced: FencedTransaction,
  ): Promise<void>;
  images(versionId: string): Promise<readonly VersionImage[]>;
  /** Makes the version visible as ready, with its counts; not when it has no image. */
  finish(versionId: string, fenced: FencedTransaction): Promise<{ readonly images: number }>;
}

export interface ExportStore {
  /** Formats whose file is there. */
  ready(versionId: string): Promise<readonly string[]>;
  /**
   * Starts the work of an export that is not there; gives back the one there is. One that failed is
   * given back once, so that whoever waits for it hears of it; the next call starts anew.
   */
  ensure(versionId: string, format: string, now: number): Promise<Export>;
  finish(exportId: string, hash: string, bytes: number, fenced: FencedTransaction): Promise<void>;
}

export type TrashType = 'project' | 'version' | 'training' | 'workflow';

export interface TrashItem {
  readonly type: TrashType;
  /** The number, for a version. */
  readonly id: string;
  readonly name: string;
  /** Its address, below that of the workspace. */
  readonly path: readonly string[];
  readonly deletedAt: number;
  /** Undefined: an older Fovea did not write it down. */
  readonly deletedBy: string | undefined;
  /** The project that it belongs to, or that it is; undefined for a workflow. */
  readonly projectId: string | undefined;
  readonly parent: TrashParent | undefined;
}

export interface TrashParent {
  /** The id of the project. */
  readonly id: string;
  readonly name: string;
  readonly path: readonly string[];
}

/** The parent that must be restored first: the project, or a version of it. */
export interface ParentInTrash {
  readonly type: 'project' | 'version';
  readonly id: string;
  readonly parentId: string | undefined;
}

/** What was deleted before or at `before` cannot come back: it may be half gone. */
export interface TrashStore {
  /** The newest first. */
  list(workspaceId: string, before: number): Promise<readonly TrashItem[]>;
  restore(
    workspaceId: string,
    item: Pick<TrashItem, 'type' | 'id' | 'projectId'>,
    before: number,
  ): Promise<'restored' | 'missing' | ParentInTrash>;
}

/** An image for events to refer to, by its id. */
export interface EventImage {
  readonly id: string;
  readonly workspaceId: string;
  /** SHA-256 of the bytes, hex: the name of the blob. */
  readonly hash: string;
  readonly bytes: number;
  readonly contentType: string;
  readonly name: string;
  readonly metadata: Metadata;
  readonly created: number;
}

/** An event as it is kept for good. */
export interface VisionEvent {
  readonly useCaseId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** When it happened. */
  readonly occurred: number;
  /** The whole event as JSON; equal events have equal texts. */
  readonly content: string;
  /** What a model saw, for statistics; recorded with the event where that is new. */
  readonly inference: NewInference | undefined;
}

export interface VisionEventStore {
  /** Adds an image; gives back the one that the workspace has of these bytes already. */
  addImage(image: EventImage): Promise<EventImage>;
  findImage(workspaceId: string, id: string): Promise<EventImage | undefined>;
  /** Those of the ids under which the workspace has no image. */
  missingImages(workspaceId: string, ids: readonly string[]): Promise<readonly string[]>;
  /**
   * Adds events, all or none, and says of each whether it is new. An event that is there already
   * is passed over. Throws `conflict`, naming its place, for another one under the same id.
   */
  add(
    workspaceId: string,
    events: readonly VisionEvent[],
    now: number,
  ): Promise<readonly boolean[]>;
}

export interface Store {
  readonly workspaces: WorkspaceStore;
  readonly projects: ProjectStore;
  readonly images: ImageStore;
  readonly versions: VersionStore;
  readonly exports: ExportStore;
  readonly trash: TrashStore;
  readonly visionEvents: VisionEventStore;
  readonly uploads: UploadStore;
  readonly videoJobs: VideoJobStore;
  readonly search: SearchStore;
  readonly folders: FolderStore;
  readonly workflows: WorkflowStore;
  readonly splits: SplitStore;
  readonly forks: ForkStore;
  readonly metadata: MetadataStore;
  readonly purge: PurgeStore;
  readonly apiKeys: ApiKeyStore;
  readonly annotationJobs: AnnotationJobStore;
  readonly autolabel: AutolabelStore;
  readonly inferences: InferenceStore;
  readonly trainings: TrainingStore;
  readonly deployments: DeploymentStore;
  readonly activeLearning: ActiveLearningStore;
  readonly tasks: TaskStore;
  /** Whether any row still points at a blob. */
  refersTo(hash: string): Promise<boolean>;
  close(): Promise<void>;
}
