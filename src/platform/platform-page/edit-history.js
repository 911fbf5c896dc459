// The states that the boxes of one image went through, to go back and forth among them.

/** @import { Box } from './boxes.ts' */

export class EditHistory {
  /** @type {(readonly Box[])[]} */
  #states;
  #at = 0;
  /** @type {string | undefined} */
  #step;

  /** @param {readonly Box[]} boxes as they were found */
  constructor(boxes) {
    this.#states = [boxes];
  }

  /** @returns {readonly Box[]} */
  get boxes() {
    return this.#states[this.#at] ?? [];
  }

  /**
   * What was undone before is gone then. `step`: one state holds all changes in a row that have the
   * same one, such as the moves of one box by keys.
   * @param {readonly Box[]} boxes
   * @param {string} [step]
   */
  change(boxes, step) {
    const isSameStep = step !== undefined && step === this.#step;
    if (!isSameStep) this.#at += 1;
    this.#step = step;
    this.#states.length = this.#at;
    this.#states.push(boxes);
  }

  /** False: there is nothing to undo. */
  undo() {
    return this.#go(-1);
  }

  /** False: nothing was undone. */
  redo() {
    return this.#go(1);
  }

  get canUndo() {
    return this.#at > 0;
  }

  get canRedo() {
    return this.#at < this.#states.length - 1;
  }

  /** @param {1 | -1} by */
  #go(by) {
    const at = this.#at + by;
    if (this.#states[at] === undefined) return false;
    this.#at = at;
    this.#step = undefined;
    return true;
  }
}
