// Fills all frames of a video between two labelled ones with what is on its way between them. Nobody
// has looked at them yet: they are saved as predictions, and undo takes them back.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { boxesOf, revisionOf, sizeOf } from '../boxes-of-image.js';
import { waysBetween } from './boxes-between.js';
import { cocoFileOf } from './coco-file.js';
import { framesMax, lieWithin, nearestLabelled } from './nearby-labels.js';
import { unsaved } from './retry.js';

/** @import { Box } from '../boxes.ts' */
/** @import { Image, ImageLabels } from '../types.ts' */

/**
 * Frames that this tab filled, with the revision that each got: as long as nobody changed it, it is
 * filled anew, and is no labelled frame that others are filled from.
 * @type {Map<string, string>}
 */
const filled = new Map();

/** @typedef {{ image: Image, boxes: readonly Box[] }} Frame with what is on its way there */

/**
 * Frames that were filled. `boxes` are those of the frame that the person looks at.
 * @typedef {{ boxes: readonly Box[], words: string, takeBack: () => Promise<string>, again: () => Promise<string> }} Fill
 */

export class FrameInterpolation {
  #labels;
  #id;
  #ids;

  /** @param {ImageLabels} labels @param {string} id of the frame that is looked at @param {readonly string[]} ids of its queue */
  constructor(labels, id, ids) {
    this.#labels = labels;
    this.#id = id;
    this.#ids = ids;
  }

  /**
   * Between the labelled frames around this one; where this one is labelled, between it and the one
   * before, or else the next one.
   * @param {readonly Box[]} here
   * @param {{ showState: (words: string, look: '' | 'bad') => void, tellElsewhere: (words: string) => void }} panel
   *   which says how far it is
   * @returns {Promise<Fill | undefined>} undefined: nothing was filled, and the panel says why
   */
  async fill(here, panel) {
    const say = (/** @type {string} */ words) => panel.tellElsewhere(words);
    const made = await this.#fill(here, say).catch(() => 'The frames around cannot be read.');
    if (typeof made !== 'string') return made;
    panel.showState(made, 'bad');
    return undefined;
  }

  /** @param {readonly Box[]} here @param {(words: string) => void} say @returns {Promise<Fill | string>} */
  async #fill(here, say) {
    if (this.#labels.remove === undefined)
      return 'Labels are kept apart here, and are of frames that you have seen: F adds them to this one.';
    const at = this.#ids.indexOf(this.#id);
    if (at < 0) return 'This image has no frames around it.';
    const before = await this.#walk(this.#ids.slice(0, at).reverse());
    const own = here.length > 0 ? { boxes: here, gap: [] } : undefined;
    const after = own && before ? own : await this.#walk(this.#ids.slice(at + 1));
    const [from, to] = [before ?? own, after];
    if (from === undefined || to === undefined) {
      return `Label a frame before and one after those to fill, at most ${framesMax} away.`;
    }
    // A place for this frame, which its own history changes.
    const middle = own === undefined ? [undefined] : [];
    const gap = [...from.gap.toReversed(), ...middle, ...to.gap];
    const ways = waysBetween(from.boxes, to.boxes);
    const boxesAt = (/** @type {number} */ place) => ways((place + 1) / (gap.length + 1));
    const frames = gap.flatMap((image, place) => (image ? [{ image, boxes: boxesAt(place) }] : []));
    if (frames.length === 0) return 'No frame lies between the labelled ones.';
    if (boxesAt(0).length === 0) return 'The labelled frames share no object.';
    const saved = new SavedFrames(this.#labels, frames, say);
    const words = await saved.write();
    const boxes = own === undefined ? boxesAt(gap.indexOf(undefined)) : here;
    return { boxes, words, takeBack: () => saved.takeBack(), again: () => saved.write() };
  }

  /** @param {readonly string[]} ids the nearest first */
  #walk(ids) {
    return nearestLabelled(
      this.#labels,
      ids,
      (image) => filled.get(image.id) === image.annotation_revision,
    );
  }
}

/**
 * Undo takes filled frames back, redo fills them again. Undefined: nothing was filled there.
 * @param {'undo' | 'redo'} way @param {Fill | undefined} before @param {Fill | undefined} now of the labels
 */
export function followFill(way, before, now) {
  if (before === now) return undefined;
  return way === 'undo' ? before?.takeBack() : now?.again();
}

class SavedFrames {
  #labels;
  #frames;
  #say;
  /** What each frame has, as this tab knows. @type {Map<string, string>} */
  #revisions;

  /**
   * @param {ImageLabels} labels
   * @param {readonly Frame[]} frames
   * @param {(words: string) => void} say
   */
  constructor(labels, frames, say) {
    this.#labels = labels;
    this.#frames = frames;
    this.#say = say;
    this.#revisions = new Map(frames.map(({ image }) => [image.id, revisionOf(image)]));
  }

  write() {
    return this.#each('Filled', async ({ image, boxes }, revision) => {
      const made = await this.#save(image, lieWithin(boxes, sizeOf(image)), revision);
      filled.set(image.id, made);
      return made;
    });
  }

  /** Frames have what they had before. */
  takeBack() {
    return this.#each('Taken back:', async ({ image }, revision) => {
      if (image.annotated === true) {
        const before = await this.#save(image, boxesOf(image), revision);
        filled.set(image.id, before);
        return before;
      }
      const none = await this.#labels.remove?.(image.id, revision);
      filled.delete(image.id);
      return none ?? revision;
    });
  }

  /** @param {Image} image @param {readonly Box[]} boxes @param {string} revision */
  #save(image, boxes, revision) {
    const file = cocoFileOf(boxes, { name: String(image.name ?? image.id), ...sizeOf(image) });
    return this.#labels.save(image.id, file, { revision }, true);
  }

  /**
   * One after the other; a frame that somebody changed meanwhile stays as it is.
   * @param {string} what
   * @param {(frame: Frame, revision: string) => Promise<string>} act gives the new revision
   */
  async #each(what, act) {
    const all = this.#frames.length;
    let [done, changed] = [0, 0];
    unsaved.add(this);
    try {
      for (const frame of this.#frames) {
        this.#say(`${what} ${done} of ${all} frames…`);
        if (await this.#attempt(frame, act)) done += 1;
        else changed += 1;
      }
    } catch (thrown) {
      return `${what} ${done} of ${all} frames, then: ${failureOf(thrown).words}`;
    } finally {
      unsaved.delete(this);
    }
    const others = changed === 0 ? '' : `; ${changed} were changed meanwhile, and stay`;
    return `${what} ${done} of ${all} frames${others}.`;
  }

  /**
   * False: somebody changed the frame meanwhile.
   * @param {Frame} frame
   * @param {(frame: Frame, revision: string) => Promise<string>} act
   */
  async #attempt(frame, act) {
    const { id } = frame.image;
    try {
      this.#revisions.set(id, await act(frame, this.#revisions.get(id) ?? 'none'));
      return true;
    } catch (thrown) {
      const { status } = failureOf(thrown);
      if (status !== 409 && status !== 404) throw thrown;
      return false;
    }
  }
}
