// Where the labels of a queue are read from and saved to: with the images, or apart from them in an
// independent job, whose labeler sees what nobody else said.

import { revisionOf } from '../boxes-of-image.js';
import { service } from './labelling-service.js';
import { otherPerson, somebodyElse } from './other-person.js';

/** @import { Image, ImageLabels, JobImage, JobImages, QueueName } from '../types.ts' */

/**
 * @param {string} slug of the project
 * @param {QueueName} queue
 * @param {JobImages | undefined} known the annotation job of the queue
 * @returns {ImageLabels}
 */
export function labelsOfQueue(slug, { job }, known) {
  if (known?.job.independent !== true) {
    return {
      areApart: false,
      read: (id) => service().getImage(slug, id),
      save: (id, file, seen, isPrediction) =>
        service().annotateImage(slug, id, file, seen, isPrediction),
      classesSince: (state) => service().getClassesRenamed(slug, state),
      remove: async (id, revision) => {
        await service().removeAnnotation(slug, id, revision);
        return revisionOf({});
      },
      otherPerson: (id) => otherPerson(slug, id),
    };
  }
  return {
    areApart: true,
    read: async (id) => {
      const [image, { images }] = await Promise.all([
        service().getImage(slug, id),
        service().getJobImages(slug, job, id),
      ]);
      return withOwnLabels(image, images[0]);
    },
    save: (id, file, { revision }) => service().labelInJob(slug, job, id, file, revision),
    otherPerson: async () => somebodyElse,
  };
}

/** @param {Image} image @param {ImageLabels} labels */
export function sayState({ annotated }, { areApart }) {
  if (annotated === true) return 'Annotated.';
  return areApart ? 'You have not annotated this image.' : 'Nobody has annotated this image.';
}

/** The image as if it had the labels of that job alone. @param {Image} image @param {JobImage | undefined} own */
export function withOwnLabels(image, own) {
  const [labels] = own?.independent ?? [];
  return {
    ...image,
    annotated: labels?.annotated === true,
    annotation_revision: own?.annotation_revision ?? 'none',
    annotation: { boxes: labels?.boxes ?? [] },
    labels: labels?.labels ?? [],
  };
}

/**
 * Those that there are now.
 * @template Labels
 * @param {ImageLabels} from
 * @param {string} id
 * @param {(image: Image) => Labels} labelsOf
 */
export async function readLabels(from, id, labelsOf) {
  const image = await from.read(id);
  const who = () => from.otherPerson(id);
  return { labels: labelsOf(image), revision: revisionOf(image), who };
}
