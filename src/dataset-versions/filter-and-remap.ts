// filter-tags, filter-null and remap: which images a version takes, and its class names.

import type { Annotation } from '../annotations/annotation.ts';
import type { VersionSettings } from '../contract/version-settings.ts';
import { randomFrom, shuffled } from '../seeded-random.ts';

type Preprocessing = VersionSettings['preprocessing'];

/** What the filters look at. */
export interface Candidate {
  readonly id: string;
  readonly hash: string;
  readonly tags: readonly string[];
  /** `none`: not annotated. `empty`: annotated as showing nothing. */
  readonly annotation: 'none' | 'empty' | 'labelled';
}

export function hasFilters(preprocessing: Preprocessing): boolean {
  return preprocessing['filter-tags'] !== undefined || preprocessing['filter-null'] !== undefined;
}

/** The images that stay, in their order. */
export function filterImages<Image extends Candidate>(
  images: readonly Image[],
  preprocessing: Preprocessing,
): readonly Image[] {
  const tags = new Map(Object.entries(preprocessing['filter-tags'] ?? {}));
  const wanted = [...tags].flatMap(([tag, isWanted]) => (isWanted ? [tag] : []));
  const tagged = images.filter(
    (image) =>
      wanted.every((tag) => image.tags.includes(tag)) &&
      image.tags.every((tag) => tags.get(tag) !== false),
  );
  const percent = preprocessing['filter-null']?.percent;
  return percent === undefined ? tagged : withoutEmpty(tagged, percent);
}

/** Empty images go, in random order, until the share of labelled ones is reached. */
function withoutEmpty<Image extends Candidate>(
  images: readonly Image[],
  percent: number,
): readonly Image[] {
  const empty = images.filter(({ annotation }) => annotation === 'empty');
  const labelled = images.filter(({ annotation }) => annotation === 'labelled').length;
  if (percent === 0) return images;
  const whole = Math.floor((labelled * 100) / percent);
  const surplus = Math.min(Math.max(0, images.length - whole), empty.length);
  const byContent = empty.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  const dropped = new Set(shuffled(byContent, randomFrom('filter-null')).slice(0, surplus));
  return images.filter((image) => !dropped.has(image));
}

/** The same annotation with the names that its classes have in this version. */
export function remapAnnotation(
  annotation: Annotation,
  names: Readonly<Record<string, string>> | undefined,
): Annotation {
  if (names === undefined) return annotation;
  // A Map, because a class may be called like a member of every object.
  const renamed = new Map(Object.entries(names));
  if (annotation.kind === 'classification') {
    const labels = annotation.labels.map((label) => renamed.get(label) ?? label);
    return { ...annotation, labels: [...new Set(labels)] };
  }
  const boxes = annotation.boxes.map((box) => ({
    ...box,
    label: renamed.get(box.label) ?? box.label,
  }));
  return { ...annotation, boxes };
}
