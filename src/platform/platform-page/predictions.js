// What a model sees in the image, until a person has decided: accepted it becomes a label. Where a
// label of the same class is already, there is nothing to decide.

import { ApiError } from '../../http-server/page-assets/api-error.js';
import { getPredictions } from './api.js';
import { overlapOf } from './box-geometry.js';
import { boxOf } from './image.js';

/** @import { Box, Prediction } from './boxes.ts' */

/** The threshold that was chosen last, which the next image has too. @type {number | undefined} */
let lastThreshold;

/** Two boxes of a class that overlap by as much are about one object, as Auto Label has it. */
const sameObjectMin = 0.5;

export class Predictions {
  /** @type {readonly Prediction[]} the surest first */
  #all = [];
  /** Where they are from, in words. */
  source = '';
  /** Why there are none; empty: that is no failure. */
  problem = '';
  #threshold = lastThreshold ?? 0;

  /** Without them a person labels all the same. @param {string} slug @param {string} image */
  async load(slug, image) {
    try {
      await this.#read(slug, image);
    } catch (thrown) {
      const status = thrown instanceof ApiError ? thrown.status : -1;
      const words = thrown instanceof ApiError ? thrown.message : 'This page failed.';
      // Not every key may run models, and without a network the page says so elsewhere.
      if (status !== 403 && status !== 0) this.problem = `No predictions: ${words}`;
    }
  }

  /** @param {string} slug @param {string} image */
  async #read(slug, image) {
    const { predictions, model, evaluationId, confidence = 0 } = await getPredictions(slug, image);
    this.#all = predictions.map((seen) => ({ box: boxOf(seen), score: seen.confidence }));
    this.source = model === undefined ? `evaluation ${evaluationId}` : `model ${model}`;
    this.#threshold = lastThreshold ?? confidence;
  }

  get areThere() {
    return this.#all.length > 0;
  }

  /** 0 to 1: those below are not shown. */
  get threshold() {
    return this.#threshold;
  }

  set threshold(threshold) {
    this.#threshold = Math.max(0, Math.min(1, threshold));
    lastThreshold = this.#threshold;
  }

  /** Those about which nobody has decided. @param {readonly Box[]} labels @param {ReadonlySet<Prediction>} decided */
  open(labels, decided) {
    return this.#all.filter(
      (seen) =>
        seen.score >= this.#threshold &&
        !decided.has(seen) &&
        !labels.some(
          (label) => label.class === seen.box.class && overlapOf(label, seen.box) >= sameObjectMin,
        ),
    );
  }
}
