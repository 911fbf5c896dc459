// What the handlers and the background work of the platform are built from.

import type { Clock } from '../clock.ts';
import { notFound } from '../errors.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Links } from './links.ts';
import type { Principal } from './principal.ts';
import type { Project, Store } from './store/store.ts';
import type { Tasks } from './tasks.ts';
import type { Renderers } from './versions/renderers.ts';

export interface Parts {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly tasks: Tasks;
  readonly links: Links;
  readonly clock: Clock;
  readonly renderers: Renderers;
  /** The most that `augmentation.image.versions` may ask for: the cap of the plan. */
  readonly versionMultiplierMax: number;
  /** Fetches an image that a user pointed at, guarded against private addresses. */
  fetchImage(url: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** The project of that slug in the caller's workspace. Throws `not_found`. */
export async function findProject(
  { store }: Pick<Parts, 'store'>,
  { workspace }: Principal,
  slug: string,
): Promise<Project> {
  const project = await store.projects.find(workspace.id, slug);
  if (project) return project;
  const known = (await store.projects.list(workspace.id)).slice(0, 10).map(({ slug }) => slug);
  throw notFound(
    'project',
    slug,
    known.length > 0 ? `Projects here: ${known.join(', ')}.` : 'There are no projects yet.',
  );
}

/** Unix seconds with a fraction, as the API shows times of projects and versions. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
