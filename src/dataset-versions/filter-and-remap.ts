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

/** Which images of a project go into a version. */
export interface ImageFilter {
  /** Given each image before `keeps` is asked of any; undefined: it need not see them first. */
  readonly look?: (image: Candidate) => void;
  readonly keeps: (image: Candidate) => boolean;
}

/** Undefined where all go into it. Images are looked at one by one, never all in memory. */
export function imageFilter(preprocessing: Preprocessing): ImageFilter | undefined {
  const { 'filter-tags': tags, 'filter-null': empty } = preprocessing;
  if (tags === undefined && empty === undefined) return undefined;
  const isTagged = tagFilter(new Map(Object.entries(tags ?? {})));
  const percent = empty?.percent ?? 0;
  return percent === 0 ? { keeps: isTagged } : new EmptyImageFilter(isTagged, percent);
}

function tagFilter(tags: ReadonlyMap<string, boolean>): ImageFilter['keeps'] {
  const wanted = [...tags].flatMap(([tag, isWanted]) => (isWanted ? [tag] : []));
  return (image) =>
    wanted.every((tag) => image.tags.includes(tag)) &&
    image.tags.every((tag) => tags.get(tag) !== false);
}

/**
 * Empty images go, in random order, until the share of labelled ones is reached. Of those it keeps
 * the hashes.
 */
class EmptyImageFilter implements ImageFilter {
  readonly #isTagged: ImageFilter['keeps'];
  readonly #percent: number;
  readonly #empty: string[] = [];
  #labelled = 0;
  #count = 0;
  #dropped: ReadonlySet<string> | undefined;

  constructor(isTagged: ImageFilter['keeps'], percent: number) {
    this.#isTagged = isTagged;
    this.#percent = percent;
  }

  readonly look = (image: Candidate): void => {
    if (!this.#isTagged(image)) return;
    this.#count += 1;
    if (image.annotation === 'labelled') this.#labelled += 1;
    if (image.annotation === 'empty') this.#empty.push(image.hash);
  };

  readonly keeps = (image: Candidate): boolean => {
    this.#dropped ??= this.#choose();
    return this.#isTagged(image) && !this.#dropped.has(image.hash);
  };

  #choose(): ReadonlySet<string> {
    const whole = Math.floor((this.#labelled * 100) / this.#percent);
    const surplus = Math.min(Math.max(0, this.#count - whole), this.#empty.length);
    const byContent = this.#empty.sort();
    return new Set(shuffled(byContent, randomFrom('filter-null')).slice(0, surplus));
  }
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
