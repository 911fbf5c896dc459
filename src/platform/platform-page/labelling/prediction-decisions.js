// What a person decides about the predictions of one image: accepted they become labels, refused they
// are shown no more.

import { inPixels } from './box-geometry.js';
import { Predictions } from './predictions.js';

/** @import { Box, Prediction, Size } from '../boxes.ts' */
/** @import { Place } from '../types.ts' */
/** @import { nothingDecided } from './predictions.js' */

/** @typedef {typeof nothingDecided & { boxes: readonly Box[] }} Labels */
/** @typedef {PredictionDecisions['shown']} ShownPredictions */

export class PredictionDecisions {
  #history;
  #size;
  #on;
  #predictions;
  /** @type {Prediction | undefined} */
  #chosen;

  /**
   * @param {import('./edit-history.js').EditHistory<Labels>} history of the image
   * @param {Size} size of the image
   * @param {{
   *   chooseNone: () => void,
   *   changed: () => void,
   *   show: () => void,
   *   say: (words: string, look: '' | 'bad') => void,
   * }} on `chooseNone`: neither a box nor a prediction; `changed`: the history has other labels
   */
  constructor(history, size, on) {
    this.#history = history;
    this.#size = size;
    this.#on = on;
    this.#predictions = new Predictions(on.say);
  }

  /**
   * What a model sees, as soon as it is known.
   * @param {string} slug @param {string} id @param {Place} place
   * @param {() => boolean} mayChoose whether the first one is chosen then
   */
  async load(slug, id, { known, queue }, mayChoose) {
    await this.#predictions.load(slug, id, known?.images[0]?.independent ?? [], queue.query);
    const { refused } = this.#predictions;
    this.#history.amend((labels) => ({ ...labels, refused }));
    if (mayChoose()) this.#chosen = this.open[0];
    if (this.#predictions.areThere || this.#predictions.problem !== '') this.#on.show();
  }

  /** Those that are shown: nobody has decided about them. */
  get open() {
    return this.#predictions.open(this.#history.labels.boxes, this.#history.labels);
  }

  get chosen() {
    return this.#chosen;
  }

  /** All that stands beside the picture. */
  get shown() {
    const { areThere, mistakes, source, problem, threshold } = this.#predictions;
    const { size: refused } = this.#history.labels.refused;
    const { open } = this;
    return { open, chosen: this.#chosen, refused, areThere, mistakes, source, problem, threshold };
  }

  chooseNone() {
    this.#chosen = undefined;
  }

  /** @param {Prediction} prediction */
  choose(prediction) {
    this.#on.chooseNone();
    this.#chosen = prediction;
    this.#on.show();
  }

  /** The chosen prediction becomes a label, and the next one is chosen. */
  accept() {
    if (this.#chosen !== undefined) this.#decide([this.#chosen], true);
  }

  /** The chosen prediction is seen no more, and the next one is chosen. */
  refuse() {
    if (this.#chosen !== undefined) this.#decide([this.#chosen], false);
  }

  /** All that are shown become labels. */
  acceptAll() {
    this.#decide(this.open, true);
  }

  /** Those that were refused, now or before, are to be decided about again. */
  restore() {
    const { labels } = this.#history;
    if (labels.refused.size === 0) return;
    this.#history.change({ ...labels, refused: new Set() });
    this.#on.changed();
  }

  /** @param {number} threshold 0 to 1 */
  showFrom(threshold) {
    this.#predictions.threshold = threshold;
    this.#forgetDecided();
    this.#on.show();
  }

  /** @param {number} by */
  changeThreshold(by) {
    this.showFrom(this.#predictions.threshold + by);
  }

  /** The history has other labels. */
  follow() {
    this.#forgetDecided();
    this.#predictions.keepRefused(this.#history.labels.refused);
  }

  #forgetDecided() {
    if (this.#chosen && !this.open.includes(this.#chosen)) this.#chosen = undefined;
  }

  /** @param {readonly Prediction[]} predictions @param {boolean} accepts */
  #decide(predictions, accepts) {
    const [first] = predictions;
    if (first === undefined) return;
    const at = this.open.indexOf(first);
    const { boxes, accepted, refused } = this.#history.labels;
    const added = predictions.map(({ box }) => inPixels(box, this.#size));
    this.#on.chooseNone();
    this.#history.change({
      boxes: accepts ? [...boxes, ...added] : boxes,
      accepted: accepts ? new Set([...accepted, ...predictions]) : accepted,
      refused: accepts ? refused : new Set([...refused, ...predictions]),
    });
    const { open } = this;
    this.#chosen = open[Math.min(at, open.length - 1)];
    this.#on.changed();
  }
}
