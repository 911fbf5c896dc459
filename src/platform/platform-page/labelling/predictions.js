// What a model sees in the image, until a person has decided: accepted it becomes a label. Where a
// label of the same class is already, there is nothing to decide.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { boxOf } from '../boxes-of-image.js';
import { overlapOf } from './box-geometry.js';
import { evaluationIn } from './image-queue.js';
import { service } from './labelling-service.js';
import { RefusalSaver } from './refusal-saver.js';

/** @import { Box, Prediction } from '../boxes.ts' */
/** @import { BoxOnWire, ImagePredictions, JobImage } from '../types.ts' */
/** @typedef {NonNullable<JobImage['independent']>[number]} PersonsLabels */

/** The threshold that was chosen last, which the next image has too. @type {number | undefined} */
let lastThreshold;

/** Two boxes of a class that overlap by as much are about one object, as Auto Label has it. */
const sameObjectMin = 0.5;

/**
 * What was decided about those of an image, as its history begins; `fill`: frames that were filled.
 * @type {{ accepted: ReadonlySet<Prediction>, refused: ReadonlySet<Prediction>, fill?: import('./frame-interpolation.js').Fill }}
 */
export const nothingDecided = { accepted: new Set(), refused: new Set() };

export class Predictions {
  /** @type {readonly Prediction[]} the surest first */
  #all = [];
  /** Where they are from, in words. */
  source = '';
  /** Why there are none; empty: that is no failure. */
  problem = '';
  /** Labels that may be wrong, by the evaluation of the queue. @type {NonNullable<ImagePredictions['mistakes']>} */
  mistakes = [];
  #threshold = lastThreshold ?? 0;
  /** @type {RefusalSaver | undefined} */
  #refusals;
  #say;

  /** @param {(words: string, look: '' | 'bad') => void} say what becomes of refusals */
  constructor(say) {
    this.#say = say;
  }

  /**
   * Without them a person labels all the same.
   * @param {string} slug @param {string} image
   * @param {readonly PersonsLabels[]} people who labelled it apart
   * @param {string} query of the queue; the predictions are those of an evaluation that it names
   */
  async load(slug, image, people, query) {
    this.#all = people.flatMap(ofPerson);
    this.source = 'people who labelled it apart';
    try {
      await this.#read(slug, image, evaluationIn(query));
    } catch (thrown) {
      const { status, words } = failureOf(thrown);
      // Not every key may run models, and without a network the page says so elsewhere.
      if (status !== 403 && status !== 0) this.problem = `No predictions: ${words}`;
    }
  }

  /** @param {string} slug @param {string} image @param {string | undefined} evaluation */
  async #read(slug, image, evaluation) {
    const found = await service().getPredictions(slug, image, evaluation);
    const { predictions, refused = [], model, evaluationId, confidence = 0 } = found;
    const ofModel = predictions.map(({ confidence: score, ...seen }) => ({
      box: boxOf(seen),
      score,
      seen,
    }));
    this.mistakes = found.mistakes ?? [];
    const isOfPeople = this.#all.length > 0;
    this.#all = [...this.#all, ...ofModel];
    this.#refusals = new RefusalSaver({
      stored: refused,
      predictions: ofModel,
      send: (change) => service().refusePredictions(slug, image, change),
      say: this.#say,
    });
    this.#threshold = lastThreshold ?? confidence;
    // Where people labelled it apart, there may be no model at all.
    if (model === undefined && evaluationId === undefined) return;
    const source = model === undefined ? `evaluation ${evaluationId}` : `model ${model}`;
    this.source = isOfPeople ? `${this.source} and of the ${source}` : `the ${source}`;
  }

  get areThere() {
    return this.#all.length + this.mistakes.length > 0;
  }

  /** 0 to 1: those below are not shown. */
  get threshold() {
    return this.#threshold;
  }

  set threshold(threshold) {
    this.#threshold = Math.max(0, Math.min(1, threshold));
    lastThreshold = this.#threshold;
  }

  /** Those that somebody refused before. @returns {ReadonlySet<Prediction>} */
  get refused() {
    return this.#refusals?.known ?? new Set();
  }

  /** @param {ReadonlySet<Prediction>} refused all that are to be refused from now on */
  keepRefused(refused) {
    this.#refusals?.keep(refused);
  }

  /**
   * Those about which nobody has decided.
   * @param {readonly Box[]} labels
   * @param {{ accepted: ReadonlySet<Prediction>, refused: ReadonlySet<Prediction> }} decided
   */
  open(labels, { accepted, refused }) {
    return this.#all.filter(
      (seen) =>
        (seen.score ?? 1) >= this.#threshold &&
        !accepted.has(seen) &&
        !refused.has(seen) &&
        !labels.some(
          (label) => label.class === seen.box.class && overlapOf(label, seen.box) >= sameObjectMin,
        ),
    );
  }
}

/** What somebody labelled apart is shown like what a model sees. @param {PersonsLabels} labels @returns {Prediction[]} */
function ofPerson({ boxes = [], labeler = 'somebody' }) {
  const drawn = /** @type {readonly BoxOnWire[]} */ (boxes);
  return drawn.map((seen) => ({ box: boxOf(seen), score: undefined, seen, by: labeler }));
}
