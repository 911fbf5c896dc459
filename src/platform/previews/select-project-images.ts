// Selects the images of a project that a preview shows.

import type { VersionSettings } from '../../contract/version-settings.ts';
import { imageFilter } from '../../dataset-versions/filter-and-remap.ts';
import { invalidArgument } from '../../errors.ts';
import { quotedName } from '../../quoted-name.ts';
import { randomFrom } from '../../seeded-random.ts';
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
  const first = { train: new FirstImages(count), others: new FirstImages(count) };
  const filter = imageFilter(preprocessing);
  for await (const candidates of store.versions.candidates(project.id, filter)) {
    for (const image of candidates) {
      const own = image.split === 'train' ? first.train : first.others;
      own.add({ id: image.id, order: orderOf(image, seed) });
    }
  }
  const train = first.train.ids;
  const chosen = train.length > 0 ? train : first.others.ids;
  const found = await Promise.all(chosen.map((id) => store.images.find(project.id, id)));
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

/** A random order by content, so that the same images in another project come in the same one. */
function orderOf({ hash, annotation }: VersionCandidate, seed: number): number {
  return randomFrom(`preview/${seed}/${hash}`)() + (annotation === 'labelled' ? 0 : 1);
}

/** The first few of many images. */
class FirstImages {
  readonly #countMax: number;
  #images: readonly { readonly id: string; readonly order: number }[] = [];

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get ids(): readonly string[] {
    return this.#images.map(({ id }) => id);
  }

  add(image: { readonly id: string; readonly order: number }): void {
    const last = this.#images.at(-1);
    const isFull = this.#images.length >= this.#countMax;
    if (isFull && (last === undefined || last.order <= image.order)) return;
    const all = [...this.#images, image].sort((one, other) => one.order - other.order);
    this.#images = all.slice(0, this.#countMax);
  }
}
