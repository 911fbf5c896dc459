// What the handlers and the background work of the platform are built from.

import type { Clock } from '../clock.ts';
import type { Renderers } from '../dataset-versions/render-threads.ts';
import { notFound } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Models } from '../model-inference/labeller.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { TrainerCommand } from '../trainers/trainer-protocol.ts';
import {
  accessibleProjects,
  isAccessible,
  requireProjectAccess,
} from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { CollectForLearning } from './active-learning/collect-images.ts';
import type { AnnotationReaders } from './annotation-threads/annotation-file-reader.ts';
import type { Links } from './signed-links/download-links.ts';
import type { Uploads } from './signed-links/upload-links.ts';
import type { Project } from './store/projects.ts';
import type { Store } from './store/store.ts';
import type { Tasks } from './tasks.ts';

export interface Parts {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly tasks: Tasks;
  readonly links: Links;
  readonly clock: Clock;
  readonly renderers: Renderers;
  readonly readers: AnnotationReaders;
  readonly uploads: Uploads;
  readonly models: Models;
  readonly collect: CollectForLearning;
  /** Undefined: none is configured. */
  readonly trainer: TrainerCommand | undefined;
  readonly log: Log;
  /** The least time between two looks at a video job. */
  readonly videoStatusIntervalMs: number;
  /** The most that `augmentation.image.versions` may ask for: the cap of the plan. */
  readonly versionMultiplierMax: number;
  /** Fetches an image that a user pointed at, guarded against private addresses. */
  fetchImage(url: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** The project of that slug in the caller's workspace. Throws `not_found`. */
export async function findProject(
  { store }: Pick<Parts, 'store'>,
  principal: Principal,
  slug: string,
): Promise<Project> {
  const { workspace } = principal;
  const project = await store.projects.find(workspace.id, slug);
  if (project) {
    await requireProjectAccess(store, principal, project);
    return project;
  }
  throw notFound('project', slug, await knownProjects(store, principal));
}

/** A hint for whoever may see the projects; a publishable key is in the hands of everybody. */
async function knownProjects(store: Store, principal: Principal): Promise<string | undefined> {
  const { workspace, scopes } = principal;
  const mayRead = ['project:read', 'workspace:read'].some((scope) => scopes?.has(scope) ?? true);
  if (!mayRead) return undefined;
  const accessible = await accessibleProjects(store, principal);
  const known = (await store.projects.list(workspace.id))
    .filter(({ id }) => isAccessible(accessible, id))
    .slice(0, 10);
  return known.length > 0
    ? `Projects here: ${known.map(({ slug }) => slug).join(', ')}.`
    : 'There are no projects yet.';
}

/** Unix seconds with a fraction, as the API shows times of projects and versions. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
