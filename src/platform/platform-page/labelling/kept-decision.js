// A decision about an image that the platform does not have yet: who loads the page anew comes back
// to the image, and it is sent then. It is in the storage of this tab, and of who decided alone.

import { ownName, TabStorage } from './tab-storage.js';

/** @typedef {Readonly<Record<string, string>>} Decision */

/**
 * `decisions`: how many about this image who decided had seen. `revision`: of the labels that they
 * had seen; empty: they were not saved yet.
 * @typedef {{ decision: Decision, decisions: number, revision: string }} Kept
 */

const storage = new TabStorage('decision of ');

export class KeptDecision {
  #name;
  #isKept = false;

  /** @param {{ slug: string, job: string, image: string }} at */
  constructor({ slug, job, image }) {
    this.#name = ownName(slug, job, image);
  }

  /** Whether the tab has it. */
  get isKept() {
    return this.#isKept;
  }

  /** What was kept before; undefined: nothing. @returns {Kept | undefined} */
  get before() {
    const [kept] = storage.kept(this.#name);
    return isKept(kept) ? kept : undefined;
  }

  /** In place of the one before. @param {Kept} kept */
  keep(kept) {
    this.#isKept = storage.keep(this.#name, [kept]);
  }

  forget() {
    storage.keep(this.#name, []);
    this.#isKept = false;
  }
}

/** @param {unknown} value @returns {value is Kept} */
function isKept(value) {
  const { decision, decisions, revision } = Object(value);
  const { decision: what, comment = '' } = Object(decision);
  const words = [what, comment, revision];
  return words.every((word) => typeof word === 'string') && Number.isInteger(decisions);
}
