// One image to annotate, with boxes or with classes of the whole image. Then the next image.

import { element } from '../../../http-server/page-assets/elements.js';
import { annotateAddress } from '../addresses.js';
import { BoxEditor } from './box-editor.js';
import { ClassEditor } from './class-editor.js';
import { ClassNumbers } from './class-numbers.js';
import { GoneNotice, goneView, unlessGone } from './gone-image.js';
import { labelsOfQueue, withOwnLabels } from './image-labels.js';
import { openQueue, orderIn, placeInQueue } from './image-queue.js';
import { independentLabelNotices } from './independent-label-notices.js';
import { KeptLabels } from './kept-labels.js';
import { service } from './labelling-service.js';

/** @import { Image as FoundImage, QueueName, View } from '../types.ts' */

/**
 * `query`: `q` is the search whose images come one after the other, `job` the annotation job.
 * @param {string} slug
 * @param {string} id of the image; empty: the first that the search finds
 * @param {URLSearchParams} query
 * @returns {Promise<Omit<View, 'content'> & { parts: readonly HTMLElement[] }>}
 */
export async function openImage(slug, id, query) {
  const queue = { query: query.get('q') ?? '', job: query.get('job') ?? '' };
  const first = id === '' ? await openQueue(slug, queue) : id;
  if (first === undefined) return nothing(wordsOfNone(queue));
  const [{ class_state: classState }, { project }, place, seen] = await Promise.all([
    // First: classes that are renamed from now on are followed.
    service().getClassesRenamed(slug),
    service().getProject(slug),
    placeInQueue(slug, queue, first),
    unlessGone(look(slug, queue, first)),
  ]);
  const neighbours = {
    before: place.before && annotateAddress(slug, place.before, queue),
    after: place.after && annotateAddress(slug, place.after, queue),
  };
  if (seen === undefined) {
    // What never was in the queue is a link that leads nowhere.
    if (place.at < 0) await look(slug, queue, first);
    return goneView(neighbours);
  }
  const kept = new KeptLabels([slug, seen.labels.areApart ? queue.job : '', first], {
    name: nameOf(seen.image),
    address: annotateAddress(slug, first, queue),
  });
  // What was under way may have been saved since.
  const wasSent = await kept.takeOver();
  kept.seeClasses(classState);
  const { image, known, labels } = wasSent ? await look(slug, queue, first) : seen;
  const shown = {
    ...neighbours,
    where: place.at < 0 ? '' : `${place.at + 1} of ${place.total}${place.isExact ? '' : '+'}`,
    queue,
    ids: place.ids,
    isOrdered: place.isOrdered,
    // Frames that a tool took from a video have their time.
    areFrames: orderIn(queue.query) !== '' || image.metadata?.seconds !== undefined,
    labels,
    kept,
    known,
    classes: new ClassNumbers(slug, Object.keys(project.classes ?? {})),
  };
  const editor = hasBoxes(project)
    ? new BoxEditor({ slug, image, shapes: shapesOf(project) }, shown)
    : new ClassEditor(slug, image, shown, project.multilabel !== true);
  if (place.after !== undefined) void prefetch(slug, place.after);
  const gone = new GoneNotice(neighbours);
  const parts = [gone.root, ...independentLabelNotices(slug, known), editor.root];
  const refresh = async () => {
    const now = await service().getProject(slug);
    editor.followClasses(shown.classes.follow(Object.keys(now.project.classes ?? {})));
    const isBack = await gone.follow(() => editor.saved.lookForNews(), kept.hasSome);
    if (isBack) editor.saved.sendAgain();
  };
  const isHeld = () => editor instanceof BoxEditor && editor.canvas.isHeld;
  return { title: nameOf(image), parts, refresh, isHeld };
}

/** The image as it is now. @param {string} slug @param {QueueName} queue @param {string} id */
async function look(slug, queue, id) {
  const [found, known] = await Promise.all([
    service().getDrawnImage(slug, id),
    queue.job === '' ? undefined : service().getJobImages(slug, queue.job, id),
  ]);
  const labels = labelsOfQueue(slug, queue, known);
  const image = labels.areApart ? withOwnLabels(found, known?.images[0]) : found;
  return { image, known, labels };
}

/** @param {FoundImage} image */
function nameOf({ name, id }) {
  return String(name ?? id);
}

/** @param {QueueName} queue */
function wordsOfNone({ query, job }) {
  if (job !== '') return 'The annotation job has no image.';
  return query === '' ? 'The project has no image.' : `No image matches ${query}.`;
}

/** @param {string} words */
function nothing(words) {
  return { title: 'Annotate', parts: [element('p', { class: 'empty' }, words)] };
}

/** The browser has the next picture when the person comes to it. */
async function prefetch(/** @type {string} */ slug, /** @type {string} */ id) {
  const next = await service()
    .getDrawnImage(slug, id)
    .catch(() => undefined);
  if (next !== undefined) new Image().src = String(next.urls?.original ?? '');
}

/** Whether boxes are what its images are annotated with. @param {{ type?: string }} project */
function hasBoxes({ type = '' }) {
  return !type.endsWith('classification');
}

/** What its objects have beside boxes. @param {{ type?: string }} project */
function shapesOf({ type = '' }) {
  if (type.endsWith('segmentation')) return 'outlines';
  return type === 'keypoint-detection' ? 'keypoints' : 'boxes';
}
