// Selects the images of a project that a preview shows.

import type { VersionSettings } from '../../contract/version-settings.ts';
import { filterImages, hasFilters } from '../../dataset-versions/filter-and-remap.ts';
import { invalidArgument } from '../../errors.ts';
import { quotedName } from '../../quoted-name.ts';
import { randomFrom, shuffled } from '../../seeded-random.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { Image } from '../store/images.ts';
import type { Project } from '../store/projects.ts';
import type { VersionCandidate } from '../store/versions.ts';
import { noImages } from '../versions.ts';
import type { PreviewSource } from './shrink-large-images.ts';

export interface ChosenImages {
  readonly sources: readonly PreviewSource[];
  readonly warnings: readonly string[];
}

/**
 * Up to `count` of the train images that a version would take, chosen by the seed: those with
 * labels first. Without train images, of all others. Throws `invalid_input` without images.
 */
export async function chooseProjectImages(
  { store, blobs }: Pick<PlatformDependencies, 'store' | 'blobs'>,
  project: Project,
  { preprocessing }: VersionSettings,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<ChosenImages> {
  const candidates = await store.versions.candidates(project.id);
  const kept = hasFilters(preprocessing) ? filterCandidates(candidates, preprocessing) : candidates;
  const train = kept.filter(({ split }) => split === 'train');
  const chosen = inOrder(train.length > 0 ? train : kept, seed).slice(0, count);
  const found = await Promise.all(chosen.map(({ id }) => store.images.find(project.id, id)));
  const images = found.filter((image): image is Image => image !== undefined);
  if (images.length === 0) throw noImages(preprocessing);
  const sources = await toSources(images, blobs);
  const warnings = train.length > 0 ? [] : ['no image is in train: a version has no copies of any'];
  return { sources, warnings };
}

/** These images, in that order. Throws `invalid_input` for an id that no image of it has. */
export async function namedProjectImages(
  { store, blobs }: Pick<PlatformDependencies, 'store' | 'blobs'>,
  project: Project,
  ids: readonly string[],
): Promise<ChosenImages> {
  const images = await Promise.all(
    [...new Set(ids)].map(async (id) => {
      const image = await store.images.find(project.id, id);
      if (image) return image;
      const message = `the project has no image with the id ${quotedName(id)}`;
      throw invalidArgument(`images[${ids.indexOf(id)}]`, message, 'A search gives the ids.');
    }),
  );
  return { sources: await toSources(images, blobs), warnings: [] };
}

function toSources(
  images: readonly Image[],
  blobs: PlatformDependencies['blobs'],
): Promise<readonly PreviewSource[]> {
  return Promise.all(
    images.map(async ({ name, hash, annotation }) => {
      return { name, hash, annotation, bytes: await blobs.get(hash) };
    }),
  );
}

function filterCandidates(
  candidates: readonly VersionCandidate[],
  preprocessing: VersionSettings['preprocessing'],
): readonly VersionCandidate[] {
  return filterImages(candidates, preprocessing);
}

/** By content, so that the same images in another project come in the same order. */
function inOrder(candidates: readonly VersionCandidate[], seed: number) {
  const byContent = candidates.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  const mixed = shuffled(byContent, randomFrom(`preview/${seed}`));
  const isLabelled = ({ annotation }: VersionCandidate) => annotation === 'labelled';
  return [...mixed.filter(isLabelled), ...mixed.filter((image) => !isLabelled(image))];
}
