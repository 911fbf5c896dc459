// Labels that an image gets from others of its queue: those of the image before, or those of objects on
// their way between two labelled frames.

import { boxesOf } from '../boxes-of-image.js';
import { overlapOf } from './box-geometry.js';
import { boxesBetween } from './boxes-between.js';

/** @import { Box, Size } from '../boxes.ts' */
/** @import { Image, ImageLabels } from '../types.ts' */

/** Images that are looked through in each direction for the next labelled one. */
export const framesMax = 100;

/** As much as Auto Label takes for one object. */
const sameObjectMin = 0.5;

/**
 * What is added to an image, or why nothing is.
 * @typedef {{ boxes: readonly Box[], problem: string }} Nearby
 */

export class NearbyLabels {
  #labels;
  #before;
  #after;
  #size;

  /**
   * @param {ImageLabels} labels
   * @param {string} id of the image
   * @param {readonly string[]} ids of its queue
   * @param {Size} size of the image
   */
  constructor(labels, id, ids, size) {
    const at = ids.indexOf(id);
    this.#labels = labels;
    this.#before = at < 0 ? [] : ids.slice(0, at).reverse();
    this.#after = at < 0 ? [] : ids.slice(at + 1);
    this.#size = size;
  }

  /** Those of the image before, as far as they lie in this one. @returns {Promise<Nearby>} */
  async ofBefore() {
    const [id = ''] = this.#before;
    const image = id === '' ? undefined : await this.#labels.read(id).catch(() => undefined);
    if (image === undefined) return none('There is no image before that can be read.');
    const boxes = this.#fitting(boxesOf(image));
    return boxes.length > 0
      ? { boxes, problem: '' }
      : none('The image before has no boxes for this one.');
  }

  /**
   * Where the objects are that the nearest labelled images before and after both have; without those
   * that are labelled here.
   * @param {readonly Box[]} here
   * @returns {Promise<Nearby>}
   */
  async between(here) {
    const around = [this.#before, this.#after].map((ids) => nearestLabelled(this.#labels, ids));
    const [before, after] = await Promise.all(around).catch(() => []);
    if (before === undefined || after === undefined) {
      return none(`Label an image before and one after this one, at most ${framesMax} away.`);
    }
    const share = (before.gap.length + 1) / (before.gap.length + after.gap.length + 2);
    const all = boxesBetween(this.#fitting(before.boxes), this.#fitting(after.boxes), share);
    if (all.length === 0) return none('The labelled images around this one share no object.');
    const boxes = all.filter((box) => !here.some((label) => isSameObject(label, box)));
    return boxes.length > 0 ? { boxes, problem: '' } : none('They are labelled here already.');
  }

  /** @param {readonly Box[]} boxes */
  #fitting(boxes) {
    return lieWithin(boxes, this.#size);
  }
}

/**
 * The first labelled image, and those up to it.
 * @param {ImageLabels} labels
 * @param {readonly string[]} ids the nearest first
 * @param {(image: Image) => boolean} [isPassed] annotated, but not by a person
 */
export async function nearestLabelled(labels, ids, isPassed = () => false) {
  /** @type {Image[]} */
  const gap = [];
  for (const id of ids.slice(0, framesMax)) {
    const image = await labels.read(id);
    if (image.annotated === true && !isPassed(image)) return { boxes: boxesOf(image), gap };
    gap.push(image);
  }
  return undefined;
}

/** Those that lie in an image of this size. @param {readonly Box[]} boxes @param {Size} size */
export function lieWithin(boxes, { width, height }) {
  return boxes.filter((box) => box.left + box.width <= width && box.top + box.height <= height);
}

/** @param {Box} one @param {Box} other */
function isSameObject(one, other) {
  return one.class === other.class && overlapOf(one, other) >= sameObjectMin;
}

/** @param {string} problem @returns {Nearby} */
function none(problem) {
  return { boxes: [], problem };
}
