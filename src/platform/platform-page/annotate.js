// One image to annotate: boxes are drawn on it, named and saved as they change. Then the next image.

import { element } from '../../http-server/page-assets/elements.js';
import { AnnotateKeys } from './annotate-keys.js';
import { AnnotatePanel } from './annotate-panel.js';
import { AnnotationSaver } from './annotation-saver.js';
import { annotateImage, getImage, getJobImages, getProject } from './api.js';
import { BoxCanvas } from './box-canvas.js';
import { fitted, isSame, moved, resized } from './box-geometry.js';
import { ClassEditor } from './class-editor.js';
import { cocoFileOf } from './coco-file.js';
import { EditHistory } from './edit-history.js';
import { boxesOf } from './image.js';
import { openQueue, placeInQueue } from './image-queue.js';
import { annotateAddress, hasBoxes, projectTabs } from './project.js';
import { reviewOf, startReview } from './review.js';

/** @import { Box, Rectangle } from './boxes.ts' */
/** @import { Image, JobImages, QueueName, SaveState, View } from './types.ts' */

/**
 * `known`: what was decided about the image, in an annotation job.
 * @typedef {{
 *   before: string | undefined,
 *   after: string | undefined,
 *   where: string,
 *   idBefore: string | undefined,
 *   queue: QueueName,
 *   ids: readonly string[],
 *   known: JobImages | undefined,
 * }} Place
 */

/**
 * `query`: `q` is the search whose images come one after the other, `job` the annotation job.
 * @param {string} slug
 * @param {string} id of the image; empty: the first that the search finds
 * @param {URLSearchParams} query
 * @returns {Promise<View>}
 */
export async function annotateView(slug, id, query) {
  const queue = { query: query.get('q') ?? '', job: query.get('job') ?? '' };
  const first = id === '' ? await openQueue(slug, queue) : id;
  if (first === undefined) return message(slug, wordsOfNone(queue));
  const [{ project }, image, place, known] = await Promise.all([
    getProject(slug),
    getImage(slug, first),
    placeInQueue(slug, queue, first),
    queue.job === '' ? undefined : getJobImages(slug, queue.job, first),
  ]);
  const shown = {
    before: place.before && annotateAddress(slug, place.before, queue),
    after: place.after && annotateAddress(slug, place.after, queue),
    where: place.at < 0 ? '' : `${place.at + 1} of ${place.total}`,
    idBefore: place.before,
    queue,
    ids: place.ids,
    known,
  };
  const classes = Object.keys(project.classes ?? {});
  const editor = hasBoxes(project)
    ? new Editor(slug, image, classes, shown)
    : new ClassEditor(slug, image, classes, shown, project.multilabel !== true);
  if (place.after !== undefined) void prefetch(slug, place.after);
  const title = String(image.name ?? image.id);
  return {
    title,
    content: element('div', { class: 'stack' }, projectTabs(slug, 'images'), editor.root),
  };
}

/** @param {QueueName} queue */
function wordsOfNone({ query, job }) {
  if (job !== '') return 'The annotation job has no image.';
  return query === '' ? 'The project has no image.' : `No image matches ${query}.`;
}

/** @param {string} slug @param {string} words @returns {View} */
function message(slug, words) {
  const content = element('p', { class: 'empty' }, words);
  return {
    title: 'Annotate',
    content: element('div', { class: 'stack' }, projectTabs(slug, 'images'), content),
  };
}

/** The browser has the next picture when the person comes to it. */
async function prefetch(/** @type {string} */ slug, /** @type {string} */ id) {
  const next = await getImage(slug, id).catch(() => undefined);
  if (next !== undefined) new Image().src = String(next.urls?.original ?? '');
}

/** Holds the boxes of one image, and brings picture, panel, keys and platform together. */
class Editor {
  root;
  /** Undefined: the images do not belong to an annotation job. */
  review;
  #size;
  #loadBefore;
  #startReview;
  #history;
  #saver;
  #canvas;
  #panel;
  /** @type {number | undefined} */
  #selected;
  /** @type {readonly Box[] | undefined} */
  #theirs;

  /**
   * @param {string} slug
   * @param {Image} image
   * @param {readonly string[]} classes
   * @param {Place} place
   */
  constructor(slug, image, classes, place) {
    this.#loadBefore = async () => place.idBefore && getImage(slug, place.idBefore);
    this.#startReview = () => startReview(slug, place);
    const name = String(image.name ?? image.id);
    const size = { width: Number(image.width), height: Number(image.height) };
    this.#size = size;
    this.#history = new EditHistory(boxesOf(image));
    this.#saver = new AnnotationSaver({
      revision: image.annotation_revision ?? 'none',
      save: (boxes, revision) =>
        annotateImage(slug, image.id, cocoFileOf(boxes, { name, ...size }), revision),
      load: async () => {
        const now = await getImage(slug, image.id);
        return { labels: boxesOf(now), revision: now.annotation_revision ?? 'none' };
      },
      isSame,
      say: (state) => this.#say(state),
    });
    this.#canvas = new BoxCanvas(
      { url: String(image.urls?.original ?? ''), alt: name, size },
      {
        draw: (place) => this.#add(place),
        change: (index, box) => this.#replace(index, box),
        select: (index) => this.select(index),
      },
    );
    this.#panel = new AnnotatePanel(this, classes, place);
    const isAnnotated = image.annotated === true;
    this.#panel.showState(isAnnotated ? 'Annotated.' : 'Nobody has annotated this image.', '');
    const { queue, known } = place;
    this.review = reviewOf({ slug, image: image.id, queue, known }, this.#saver, {
      lookAgain: () => this.#lookAgain(),
      allDecided: () => this.#panel.showState('Every image of this job is decided.', ''),
    });
    if (this.review !== undefined) this.#panel.root.prepend(this.review.root);
    this.root = element('div', { class: 'annotate' }, this.#canvas.root, this.#panel.root);
    new AnnotateKeys(this, this.root, place);
    this.#show();
  }

  get boxes() {
    return this.#history.labels;
  }

  get canvas() {
    return this.#canvas;
  }

  get panel() {
    return this.#panel;
  }

  /** @param {number | undefined} index */
  select(index) {
    this.#selected = index;
    const box = index === undefined ? undefined : this.boxes[index];
    if (box !== undefined) this.#panel.choose(box.class);
    this.#show();
  }

  /** The next box, in the order of the list, or the one before. @param {1 | -1} by */
  selectNext(by) {
    const { length } = this.boxes;
    if (length === 0) return;
    const from = this.#selected ?? (by === 1 ? -1 : length);
    this.select((from + by + length) % length);
  }

  /** New boxes have this class from now on, and the chosen one has it too. @param {string} name */
  useClass(name) {
    this.#panel.choose(name);
    const [index, box] = [this.#selected, this.#box];
    if (index !== undefined && box && box.class !== name) {
      this.#replace(index, { ...box, class: name });
    } else this.#show();
  }

  /** A box in the middle, for those who use no pointer. */
  addInMiddle() {
    const { width, height } = this.#size;
    const [w, h] = [Math.ceil(width / 4), Math.ceil(height / 4)];
    this.#add({
      left: Math.floor((width - w) / 2),
      top: Math.floor((height - h) / 2),
      width: w,
      height: h,
    });
  }

  /** Moves the chosen box, or its lower right corner. */
  nudge(/** @type {number} */ right, /** @type {number} */ down, /** @type {boolean} */ resizes) {
    const [index, box] = [this.#selected, this.#box];
    if (index === undefined || box === undefined) return false;
    const corner = { x: box.left + box.width + right, y: box.top + box.height + down };
    const to = resizes
      ? resized(box, lowerRight, corner, this.#size)
      : moved(box, right, down, this.#size);
    this.#replace(index, fitted(box, to), `nudge ${index} ${resizes}`);
    return true;
  }

  remove() {
    if (this.#box === undefined) return;
    const kept = this.boxes.filter((_box, index) => index !== this.#selected);
    this.#selected = undefined;
    this.#change(kept);
  }

  /** Somebody looked, and there is nothing to label. */
  markAsEmpty() {
    this.#selected = undefined;
    this.#change([]);
  }

  /** Adds the boxes of the image before, as far as they lie in this one. */
  async copyFromBefore() {
    const before = await this.#loadBefore().catch(() => undefined);
    if (!before) return this.#panel.showState('There is no image before that can be read.', 'bad');
    const { width, height } = this.#size;
    const added = boxesOf(before).filter(
      (box) => box.left + box.width <= width && box.top + box.height <= height,
    );
    this.#selected = undefined;
    if (added.length > 0) this.#change([...this.boxes, ...added]);
    else this.#panel.showState('The image before has no boxes for this one.', 'bad');
  }

  undo() {
    if (this.#history.undo()) this.#changed();
  }

  redo() {
    if (this.#history.redo()) this.#changed();
  }

  /** From now on the images of this search are an annotation job, to be decided about. */
  async startReview() {
    const problem = await this.#startReview();
    if (problem !== undefined) this.#panel.showState(problem, 'bad');
  }

  /** After a conflict. */
  keepMine() {
    this.#theirs = undefined;
    this.#saver.keepMine();
    this.review?.dismissProblem();
    this.#show();
  }

  /** After a conflict; what was drawn here can be had back by undo. */
  takeTheirs() {
    this.#history.change(this.#theirs ?? []);
    this.#theirs = undefined;
    this.#selected = undefined;
    this.#saver.takeTheirs();
    this.review?.dismissProblem();
    this.#show();
  }

  /** Whether others changed the labels, which are shown then; undo has those that were here. */
  async #lookAgain() {
    const theirs = await this.#saver.reload();
    if (theirs === undefined || isSame(theirs, this.boxes)) return false;
    this.#history.change(theirs);
    this.#selected = undefined;
    this.#panel.showState('Somebody else changed this image.', '');
    this.#show();
    return true;
  }

  get #box() {
    return this.#selected === undefined ? undefined : this.boxes[this.#selected];
  }

  /** @param {Rectangle} place */
  #add(place) {
    const name = this.#panel.chosen;
    if (name === '') return this.#panel.askForClass();
    this.#selected = this.boxes.length;
    this.#change([...this.boxes, { class: name, ...place }]);
  }

  /** @param {number} index @param {Box} box @param {string} [step] */
  #replace(index, box, step) {
    this.#change(this.boxes.with(index, box), step);
  }

  /** @param {readonly Box[]} boxes @param {string} [step] */
  #change(boxes, step) {
    this.#history.change(boxes, step);
    this.#changed();
  }

  #changed() {
    if (this.#selected !== undefined && this.#selected >= this.boxes.length) {
      this.#selected = undefined;
    }
    // As long as two versions stand side by side, the person decides which one is saved.
    if (this.#theirs === undefined) this.#saver.change(this.boxes);
    else this.#saver.hold(this.boxes);
    this.#show();
  }

  /** @param {SaveState<readonly Box[]>} state */
  #say(state) {
    if (state.name === 'saved' || state.name === 'conflict') void this.review?.labelsChanged();
    if ('theirs' in state) {
      this.#theirs = state.theirs;
      this.#panel.showConflict(this.boxes.length, state.theirs.length);
      this.#show();
    } else if ('words' in state) {
      const what = state.name === 'waiting' ? 'Not saved yet, it is tried again' : 'Not saved';
      this.#panel.showState(`${what}: ${state.words}`, 'bad');
    } else this.#panel.showState(state.name === 'saved' ? 'Saved.' : 'Saving…', '');
  }

  #show() {
    this.#canvas.show(this.boxes, this.#selected, this.#theirs);
    const { canUndo, canRedo } = this.#history;
    this.#panel.show(this.boxes, this.#selected, { canUndo, canRedo });
  }
}

/** Among the handles of a box. */
const lowerRight = 4;
