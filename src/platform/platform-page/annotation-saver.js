// Saves the boxes of one image as they change, one request after the other. What cannot be sent
// waits; what somebody else has changed meanwhile is never replaced unasked.

import { ApiError } from '../../http-server/page-assets/api-error.js';
import { isSame } from './box-geometry.js';
import { isPassing, unsaved, untilRetry } from './retry.js';

/** @import { Box } from './boxes.ts' */
/** @import { SaveState } from './types.ts' */

export class AnnotationSaver {
  /** @type {string} */
  #revision;
  /** @type {readonly Box[] | undefined} */
  #waiting;
  #isBusy = false;
  /** @type {((isSaved: boolean) => void)[]} */
  #asking = [];
  #save;
  #load;
  #say;

  /**
   * `save` gives the revision that it made; it throws an `ApiError` of 409 where another one than
   * the given is there. `load` gives what is there.
   * @param {{
   *   revision: string,
   *   save: (boxes: readonly Box[], revision: string) => Promise<string>,
   *   load: () => Promise<{ boxes: readonly Box[], revision: string }>,
   *   say: (state: SaveState) => void,
   * }} options
   */
  constructor({ revision, save, load, say }) {
    this.#revision = revision;
    this.#save = save;
    this.#load = load;
    this.#say = say;
  }

  /** The latest boxes are saved, sooner or later. @param {readonly Box[]} boxes */
  change(boxes) {
    this.#waiting = boxes;
    unsaved.add(this);
    void this.#run();
  }

  /** In a conflict: these boxes are what is kept or forgotten. @param {readonly Box[]} boxes */
  hold(boxes) {
    this.#waiting = boxes;
  }

  /** The labels that the platform has, as far as this page knows. */
  get revision() {
    return this.#revision;
  }

  /**
   * Once nothing waits to be sent: whether all is saved; not where it was refused, or somebody else
   * has changed the labels.
   * @returns {Promise<boolean>}
   */
  settled() {
    if (this.#waiting === undefined) return Promise.resolve(true);
    if (!this.#isBusy) return Promise.resolve(false);
    return new Promise((resolve) => this.#asking.push(resolve));
  }

  /**
   * What the platform has by now; undefined: something waits to be sent, which meets it then.
   * @returns {Promise<readonly Box[] | undefined>}
   */
  async reload() {
    const { boxes, revision } = await this.#load();
    if (this.#waiting !== undefined) return undefined;
    this.#revision = revision;
    return boxes;
  }

  /** After a conflict: the boxes that were to be saved replace those of the other one. */
  keepMine() {
    void this.#run();
  }

  /** After a conflict: what was to be saved is forgotten. */
  takeTheirs() {
    this.#waiting = undefined;
    unsaved.delete(this);
    this.#say({ name: 'saved' });
  }

  async #run() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting !== undefined && unsaved.has(this)) {
      if (!(await this.#attempt(this.#waiting))) break;
    }
    this.#isBusy = false;
    for (const resolve of this.#asking.splice(0)) resolve(this.#waiting === undefined);
  }

  /** Whether to go on. @param {readonly Box[]} boxes */
  async #attempt(boxes) {
    this.#say({ name: 'saving' });
    try {
      this.#saved(boxes, await this.#save(boxes, this.#revision));
      return true;
    } catch (thrown) {
      const status = thrown instanceof ApiError ? thrown.status : -1;
      if (status === 409) return this.#compare(boxes);
      const words = thrown instanceof ApiError ? thrown.message : 'This page failed.';
      if (!isPassing(status)) {
        this.#say({ name: 'refused', words });
        return false;
      }
      this.#say({ name: 'waiting', words });
      await untilRetry();
      return true;
    }
  }

  /** Another revision is there: ours, if only its answer was lost, or that of somebody else. */
  async #compare(/** @type {readonly Box[]} */ boxes) {
    try {
      const theirs = await this.#load();
      this.#revision = theirs.revision;
      if (isSame(theirs.boxes, boxes)) {
        this.#saved(boxes, theirs.revision);
        return true;
      }
      this.#say({ name: 'conflict', theirs: theirs.boxes });
      return false;
    } catch {
      await untilRetry();
      return true;
    }
  }

  /** @param {readonly Box[]} boxes @param {string} revision */
  #saved(boxes, revision) {
    this.#revision = revision;
    if (this.#waiting !== boxes) return;
    this.#waiting = undefined;
    unsaved.delete(this);
    this.#say({ name: 'saved' });
  }
}
