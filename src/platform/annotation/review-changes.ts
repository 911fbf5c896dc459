// What became of the labels of a completed review, by who changed them and who decided: up to each
// decision, so that what comes later makes it no other review.

import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Annotation } from '../../annotations/annotation.ts';
import { LabelChanges } from '../../annotations/label-changes.ts';
import { limits } from '../../limits.ts';
import type { ChangedImage, ChangedLabels } from '../store/annotation-jobs.ts';
import type { Store } from '../store/store.ts';

/** Images that the same people changed, and the same one decided about. */
interface Group {
  readonly people: Pick<ChangedImage, 'changedBy' | 'decidedBy'>;
  readonly changes: LabelChanges;
  images: number;
}

/**
 * Empty where nothing is known of the labels from before. `wordsFor` gives credentials their names.
 */
export async function reviewChanges(
  { annotationJobs }: Pick<Store, 'annotationJobs'>,
  job: { readonly id: string; readonly images: number },
  wordsFor: (credential: string) => string,
) {
  const { changed, unknown } = await annotationJobs.reviewCoverage(job.id);
  if (job.images > 0 && unknown === job.images) return {};
  const images = await annotationJobs.changedImages(job.id, limits.reviewChangesComparedMax);
  const groups = new Map<string, Group>();
  const told: [ChangedImage, LabelChanges][] = [];
  let [compared, others] = [0, 0];
  for await (const [image, labels] of withLabels(annotationJobs, job.id, images)) {
    compared += 1;
    const group = groupOf(groups, image);
    if (!group.changes.add(...labels)) continue;
    group.images += 1;
    if (told.length < limits.reviewChangedImagesToldMax) told.push([image, changesOf(labels)]);
    else others += 1;
  }
  const named = (people: Group['people']) => namesOf(people, wordsFor);
  const notCompared = changed - compared + unknown;
  return {
    changedImages: told.length + others,
    ...(notCompared > 0 && { notCompared }),
    ...describeGroups(
      [...groups.values()].filter(({ images }) => images > 0),
      named,
    ),
    ...(told.length > 0 && {
      changed: told.map(([{ imageId, name, ...people }, changes]) => ({
        image: imageId,
        name,
        ...named(people),
        ...describeClasses(changes),
      })),
    }),
  };
}

type Labels = readonly [Annotation | undefined, Annotation | undefined];

/** Those whose labels are not too many to compare; it ends where all together are too long. */
async function* withLabels(
  annotationJobs: Store['annotationJobs'],
  jobId: string,
  images: readonly ChangedImage[],
): AsyncGenerator<[ChangedImage, Labels]> {
  let characters = 0;
  for (let place = 0; place < images.length; place += limits.reviewedImagesAtOnce) {
    const some = images.slice(place, place + limits.reviewedImagesAtOnce);
    const ids = some.map(({ imageId }) => imageId);
    const found = new Map<string, ChangedLabels['labels']>();
    for (const { imageId, labels } of await annotationJobs.changedLabels(jobId, ids)) {
      found.set(imageId, labels);
    }
    for (const image of some) {
      const texts = found.get(image.imageId);
      if (texts === undefined || texts === 'tooLong') continue;
      for (const text of texts) characters += text?.length ?? 0;
      if (characters > limits.reviewCharactersMax) return;
      const [before, after] = [parsed(texts[0]), parsed(texts[1])];
      if (objectsOf(before) + objectsOf(after) <= limits.comparedObjectsMax) {
        yield [image, [before, after]];
      }
      // Requests of others come in between.
      await othersTurn();
    }
  }
}

function parsed(json: string | undefined): Annotation | undefined {
  return json === undefined ? undefined : JSON.parse(json);
}

function objectsOf(annotation: Annotation | undefined): number {
  if (annotation === undefined) return 0;
  return annotation.kind === 'detection' ? annotation.boxes.length : annotation.labels.length;
}

function groupOf(groups: Map<string, Group>, { changedBy, decidedBy }: ChangedImage): Group {
  const key = JSON.stringify([changedBy, decidedBy]);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group = { people: { changedBy, decidedBy }, changes: new LabelChanges(), images: 0 };
  groups.set(key, group);
  return group;
}

function namesOf(
  { changedBy, decidedBy }: Group['people'],
  wordsFor: (credential: string) => string,
) {
  const told = changedBy.slice(0, limits.reviewChangersToldMax);
  return {
    ...(told.length > 0 && { by: told.map(wordsFor).toSorted() }),
    ...(changedBy.length > told.length && { andOthers: true }),
    ...(decidedBy !== undefined && { decidedBy: wordsFor(decidedBy) }),
  };
}

/** Of one image. */
function changesOf(labels: Labels): LabelChanges {
  const changes = new LabelChanges();
  changes.add(...labels);
  return changes;
}

function describeClasses(changes: LabelChanges) {
  const moreClasses = changes.classCount - limits.reviewClassesToldMax;
  return {
    classes: changes.byClass(limits.reviewClassesToldMax),
    ...(moreClasses > 0 && { moreClasses }),
  };
}

/** Those of most images; of the others how many images they are. */
function describeGroups(groups: readonly Group[], named: (people: Group['people']) => object) {
  const most = groups.toSorted((one, other) => other.images - one.images);
  const told = most.slice(0, limits.reviewGroupsToldMax);
  const rest = most.slice(limits.reviewGroupsToldMax);
  return {
    changes: told.map(({ people, images, changes }) => ({
      ...named(people),
      images,
      ...describeClasses(changes),
    })),
    ...(rest.length > 0 && {
      changedByOthers: rest.reduce((sum, { images }) => sum + images, 0),
    }),
  };
}
