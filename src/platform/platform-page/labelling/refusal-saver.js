// Keeps on the platform which predictions of an image are refused, as it changes.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { boxOf } from '../boxes-of-image.js';
import { overlapOf } from './box-geometry.js';
import { mayGoWell, unsaved, untilRetry } from './retry.js';

/** @import { Prediction, RefusedBox } from '../boxes.ts' */
/** @import { RefusalChange } from '../types.ts' */

/** A model sees an object a little elsewhere when it is trained anew; what it sees there is refused. */
const sameRefusalMin = 0.8;

export class RefusalSaver {
  /** As the platform has them. @type {readonly RefusedBox[]} */
  #stored;
  #predictions;
  #send;
  #say;
  /** @type {ReadonlySet<Prediction>} */
  #wanted = new Set();
  #isBusy = false;
  #hasFailed = false;

  /**
   * `send` gives what the platform has then; `say` is told how far it is kept.
   * @param {{
   *   stored: readonly RefusedBox[],
   *   predictions: readonly Prediction[],
   *   send: (change: RefusalChange) => Promise<readonly RefusedBox[]>,
   *   say: (words: string, look: '' | 'bad') => void,
   * }} options
   */
  constructor({ stored, predictions, send, say }) {
    this.#stored = stored;
    this.#predictions = predictions;
    this.#send = send;
    this.#say = say;
  }

  /** Predictions that are refused on the platform. @returns {ReadonlySet<Prediction>} */
  get known() {
    return new Set(this.#predictions.filter((seen) => this.#storedOf(seen).length > 0));
  }

  /** @param {ReadonlySet<Prediction>} refused all that are to be refused from now on */
  keep(refused) {
    this.#wanted = refused;
    if (this.#difference() === undefined) return;
    if (!this.#hasFailed) this.#say('Keeping what is refused…', '');
    if (this.#isBusy) return;
    unsaved.add(this);
    void this.#run();
  }

  async #run() {
    this.#isBusy = true;
    while (unsaved.has(this) && (await this.#attempt())) {}
    unsaved.delete(this);
    this.#isBusy = false;
  }

  /** Whether to go on. */
  async #attempt() {
    const change = this.#difference();
    if (change === undefined) {
      unsaved.delete(this);
      this.#say('What is refused is kept.', '');
      return false;
    }
    try {
      this.#stored = await this.#send(change);
      this.#hasFailed = false;
      return true;
    } catch (thrown) {
      const { status, words } = failureOf(thrown);
      this.#hasFailed = true;
      this.#say(`What is refused is not kept: ${words}`, 'bad');
      const isTried = mayGoWell(thrown);
      if (isTried) await untilRetry(status);
      return isTried;
    }
  }

  /** What the platform does not know yet. @returns {RefusalChange | undefined} */
  #difference() {
    const refuse = [...this.#wanted].filter((seen) => this.#storedOf(seen).length === 0);
    const kept = new Set([...this.#wanted].flatMap((seen) => this.#storedOf(seen)));
    const others = this.#predictions.filter((seen) => !this.#wanted.has(seen));
    const restore = others.flatMap((seen) => this.#storedOf(seen)).filter((box) => !kept.has(box));
    if (refuse.length === 0 && restore.length === 0) return undefined;
    return { refuse: refuse.map(({ seen }) => seen), restore };
  }

  /** @param {Prediction} prediction */
  #storedOf({ seen, box }) {
    return this.#stored.filter(
      (one) =>
        one.label === seen.label &&
        (isEqual(one, seen) || overlapOf(boxOf(one), box) >= sameRefusalMin),
    );
  }
}

/** A box may have no area. @param {RefusedBox} one @param {RefusedBox} other */
function isEqual(one, other) {
  return (
    one.x === other.x &&
    one.y === other.y &&
    one.width === other.width &&
    one.height === other.height
  );
}
