// Projects, their counts and their health: the store's interface.

import type { ProjectType } from '../../annotations/annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { Input } from '../../contract/operation.ts';
import type { projectExtensions } from '../../contract/projects.ts';
import type { Box } from '../../imaging/box.ts';
import type { MapDots } from '../../imaging/image-map.ts';
import type { WorkWatcher } from '../../work-watcher.ts';
import type { RefusedFile } from './refused-files.ts';

export type SplitCounts = Readonly<Record<SplitName, number>>;

export type LabelCounts = Readonly<Record<string, number>>;

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

export type OddKind = 'withoutArea' | 'tiny' | 'atEdge' | 'overEdge' | 'duplicate';

/** Boxes of each kind, and the names of the first images that have some. */
export interface OddBoxes
  extends Readonly<
    Record<OddKind, { readonly count: number; readonly images: readonly string[] }>
  > {
  readonly checked: number;
  /** False: the project has more boxes than one read looks at. */
  readonly isComplete: boolean;
}

export interface PlacedImage {
  readonly id: string;
  readonly name: string;
  readonly split: SplitName;
}

/** Groups of images that show the same picture, by their oldest image: in few objects. */
export interface NearDuplicates {
  /** Of the images in groups, those of a group one after the other. */
  readonly ordinals: Float64Array<ArrayBuffer>;
  /** Of each of them, which of all names of splits. */
  readonly splits: Uint8Array<ArrayBuffer>;
  /** Of each group how many images are in it and those before. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** How many groups lie in several splits. */
  readonly leaks: number;
  /** Images that were compared with each other. */
  readonly compared: number;
  /** Images too even to be told apart: they are in no group. */
  readonly plain: number;
  /** False: some images were not compared with all, or have no descriptor. */
  readonly isComplete: boolean;
}

/** What is told of many groups of images. */
export interface GroupsSummary {
  readonly groups: number;
  readonly images: number;
  readonly examples: readonly ShownGroup[];
}

/** Images that were taken, whose pixels turned out to be unreadable. */
export interface UnreadableImages {
  readonly total: number;
  /** The oldest, with what is wrong with each. */
  readonly images: readonly (PlacedImage & { readonly reason: string })[];
}

export interface ProjectHealth {
  readonly boxes: OddBoxes;
  readonly unreadable: UnreadableImages;
  readonly nearDuplicates: GroupsSummary &
    Pick<NearDuplicates, 'compared' | 'plain' | 'isComplete'>;
  /** Groups of near-duplicates in several splits. */
  readonly leaks: GroupsSummary;
  /** Groups of near-duplicates that are labelled in different ways. */
  readonly conflicts: GroupsSummary;
  readonly refused: readonly RefusedFile[];
  readonly images: number;
  readonly annotations: number;
  readonly averageWidth: number;
  readonly averageHeight: number;
  /** Median of width / height; 0 without images. */
  readonly medianRatio: number;
  /** Images without annotation. */
  readonly missing: number;
  /** Images annotated as showing nothing. */
  readonly empty: number;
  readonly classes: LabelCounts;
}

export type OddBox = Pick<Box, 'label' | 'x' | 'y' | 'width' | 'height'>;

export interface ShownGroup {
  /** Of each split one first, so that a leak is seen. */
  readonly images: readonly PlacedImage[];
  /** Of the whole group. */
  readonly total: number;
}

/** What a page of findings is of: groups, images or files. */
export type FindingsPage = {
  /** Of all pages. */
  readonly total: number;
  readonly isComplete: boolean;
  /** Whose vectors tell images apart: a model's name, or `looks`. */
  readonly by?: string;
  /** Images that were compared with each other. */
  readonly compared?: number;
  readonly sharpness?: ProjectSharpness;
} & (
  | { readonly kind: 'groups'; readonly groups: readonly ShownGroup[] }
  | {
      readonly kind: 'clusters';
      readonly groups: readonly ShownGroup[];
      readonly map: MappedImages;
    }
  | { readonly kind: 'images'; readonly images: readonly OddImage[] }
  | { readonly kind: 'files'; readonly files: readonly RefusedFile[] }
);

/** Of how many images the sharpness is known, and the fence where these are enough. */
export interface ProjectSharpness {
  readonly measured: number;
  readonly unmeasured: number;
  readonly low?: number;
  readonly high?: number;
}

/** A dot for each image: near to those that are like it. The largest cluster is 0. */
export interface MappedImages extends MapDots {
  /** How many images of each split a cluster has. */
  readonly splits: readonly SplitCounts[];
  /** Images that have room as small pictures, with their places among all. */
  readonly pictures: readonly { readonly at: number; readonly imageId: string }[];
}

/** An image with the first of its odd boxes, or with what else is wrong with it. */
export interface OddImage extends PlacedImage {
  readonly boxes: readonly OddBox[];
  readonly total: number;
  readonly reason?: string;
  readonly sharpness?: number;
}

export interface WantedFindings {
  readonly finding: Input<typeof projectExtensions.projects_findings>['finding'];
  readonly limit: number;
  readonly offset: number;
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
  /** All that compares images ends where the signal of who waits aborts, with its reason. */
  health(workspaceId: string, projectId: string, watcher?: WorkWatcher): Promise<ProjectHealth>;
  /** Of all its images, or of those that the health compares. */
  nearDuplicates(
    workspaceId: string,
    projectId: string,
    watcher?: WorkWatcher,
  ): Promise<NearDuplicates>;
  /** A page of what is behind one figure of the health. */
  findings(
    workspaceId: string,
    projectId: string,
    wanted: WantedFindings,
    watcher?: WorkWatcher,
  ): Promise<FindingsPage>;
  /** Whether it is there, and not in the trash. */
  isLive(projectId: string): Promise<boolean>;
  /**
   * Ends its trainings too. False when it is not there, or in the trash already. `deletedBy` names
   * whoever calls.
   */
  trash(projectId: string, now: number, deletedBy: string): Promise<boolean>;
}
