// The states that the labels of one image went through, to go back and forth among them.

/** @template Labels */
export class EditHistory {
  /** @type {Labels[]} */
  #states;
  #at = 0;
  /** @type {string | undefined} */
  #step;

  /** @param {Labels} labels as they were found */
  constructor(labels) {
    this.#states = [labels];
  }

  /** @returns {Labels} */
  get labels() {
    const labels = this.#states[this.#at];
    if (labels === undefined) throw new Error('There is no such state.');
    return labels;
  }

  /**
   * What was undone before is gone then. `step`: one state holds all changes in a row that have the
   * same one, such as the moves of one box by keys.
   * @param {Labels} labels
   * @param {string} [step]
   */
  change(labels, step) {
    const isSameStep = step !== undefined && step === this.#step;
    if (!isSameStep) this.#at += 1;
    this.#step = step;
    this.#states.length = this.#at;
    this.#states.push(labels);
  }

  /** What is found out late was so from the beginning. @param {(labels: Labels) => Labels} amended */
  amend(amended) {
    this.#states = this.#states.map(amended);
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
