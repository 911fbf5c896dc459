// Saves the labels of one image as they change, one request after the other. What cannot be sent
// waits; what somebody else has changed meanwhile is never replaced unasked.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { mayGoWell, unsaved, untilRetry } from './retry.js';

/** @import { SaveState } from '../types.ts' */

/** @template {readonly unknown[]} Labels boxes, or classes of the whole image */
export class AnnotationSaver {
  /** @type {string} */
  #revision;
  /** The one that the person knows: their changes are made to it. @type {string} */
  #base;
  /** @type {Labels | undefined} */
  #waiting;
  /** The request that is under way. @type {Promise<unknown> | undefined} */
  #sending;
  /** Sent last, and not answered: they may have been saved. @type {Labels | undefined} */
  #unanswered;
  #isBusy = false;
  /** The person is asked whose labels are kept. */
  #isAsking = false;
  #isFollowing = false;
  /** What stands in the way, in words. */
  #why = '';
  /** @type {((isSaved: boolean) => void)[]} */
  #asking = [];
  #save;
  #load;
  #followClasses;
  #isSame;
  #kept;
  #say;

  /**
   * `save` gives the revision that it made; it throws an `ApiError` of 409 where another one than
   * the given is there. `load` gives what is there; `who` tells in
   * words who changed it. `followClasses`: whether classes were renamed since, and the labels that wait
   * with them. `kept` has what waits for as long as it does.
   * @param {{
   *   revision: string,
   *   save: (labels: Labels, revision: string) => Promise<string>,
   *   load: () => Promise<{ labels: Labels, revision: string, who: () => Promise<string> }>,
   *   followClasses: () => Promise<boolean>,
   *   isSame: (some: Labels, others: Labels) => boolean,
   *   kept: import('./kept-labels.js').KeptLabels,
   *   say: (state: SaveState<Labels>) => void,
   * }} options
   */
  constructor({ revision, save, load, followClasses, isSame, kept, say }) {
    this.#revision = revision;
    this.#base = revision;
    this.#save = save;
    this.#load = load;
    this.#followClasses = followClasses;
    this.#isSame = isSame;
    this.#kept = kept;
    this.#say = say;
  }

  /** The latest labels are saved, sooner or later. @param {Labels} labels */
  change(labels) {
    this.#waiting = labels;
    this.#kept.keep(labels, this.#base);
    unsaved.add(this);
    void this.#run();
  }

  /** These labels are what is kept or forgotten, once that is asked for. @param {Labels} labels */
  hold(labels) {
    this.#waiting = labels;
    this.#kept.keep(labels, this.#base, this.#why);
  }

  /** What waits has these names by now. @param {Labels} labels */
  rename(labels) {
    if (this.#waiting !== undefined) this.hold(labels);
  }

  /** Nothing more is sent. @returns {Promise<void>} when the request that is under way has ended */
  async stop() {
    unsaved.delete(this);
    this.#isAsking = false;
    await this.#sending;
  }

  /** Whether what waits outlives the page. */
  get isKept() {
    return this.#kept.isStored;
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
   * @returns {Promise<Labels | undefined>}
   */
  async reload() {
    const { labels, revision } = await this.#load();
    if (this.#waiting !== undefined) return undefined;
    this.#revision = revision;
    this.#base = revision;
    return labels;
  }

  /**
   * What others have saved since; undefined: nothing, or something waits here, which meets it.
   * @returns {Promise<{ labels: Labels, revision: string, who: () => Promise<string> } | undefined>}
   */
  async newer() {
    const known = this.#revision;
    const hadWaiting = this.#waiting !== undefined;
    // Also while something waits: that tells whether the image is still there.
    const found = await this.#load();
    const isOurs = hadWaiting || this.#waiting !== undefined || this.#revision !== known;
    return isOurs || found.revision === known ? undefined : found;
  }

  /** What was refused may go well by now. */
  sendAgain() {
    if (this.#waiting !== undefined && !this.#isAsking) void this.#run();
  }

  /** The person knows the labels of this revision. @param {string} revision */
  meet(revision) {
    this.#revision = revision;
    this.#base = revision;
  }

  /** After a conflict: the labels that were to be saved replace those of the other one. */
  keepMine() {
    this.#isAsking = false;
    this.#base = this.#revision;
    if (this.#waiting !== undefined) this.#kept.keep(this.#waiting, this.#base);
    void this.#run();
  }

  /**
   * After a conflict: what was to be saved is forgotten. Throws an `ApiError` where the labels of
   * the others cannot be read: then the question stays.
   * @returns {Promise<Labels>} what the platform has by now: the others may have gone on
   */
  async takeTheirs() {
    const { labels, revision } = await this.#load();
    this.#revision = revision;
    this.#base = revision;
    this.#isAsking = false;
    this.#waiting = undefined;
    this.#kept.forget();
    unsaved.delete(this);
    this.#say({ name: 'saved' });
    return labels;
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

  /** Whether to go on. @param {Labels} labels */
  async #attempt(labels) {
    this.#say({ name: 'saving' });
    try {
      const sent = this.#save(labels, this.#revision);
      this.#sending = sent.catch(() => undefined);
      this.#saved(labels, await sent);
      return true;
    } catch (thrown) {
      const { status, words } = failureOf(thrown);
      if (status === 409) return this.#compare(labels);
      if (!mayGoWell(thrown)) {
        this.#hinder(words);
        this.#say({ name: 'refused', words });
        return false;
      }
      this.#unanswered = labels;
      this.#say({ name: 'waiting', words });
      await untilRetry(status);
      return true;
    }
  }

  /**
   * Classes were renamed, or another revision is there: ours, if only its answer was lost, also where
   * more was changed since, or that of somebody else.
   */
  async #compare(/** @type {Labels} */ labels) {
    try {
      if (await this.#followClasses()) return true;
      const theirs = await this.#load();
      this.#revision = theirs.revision;
      if (this.#isSame(theirs.labels, labels)) {
        this.#saved(labels, theirs.revision);
        return true;
      }
      const unanswered = this.#unanswered;
      this.#unanswered = undefined;
      if (unanswered !== undefined && this.#isSame(theirs.labels, unanswered)) return true;
      const by = await theirs.who();
      // Given up meanwhile.
      if (!unsaved.has(this)) return false;
      this.#isAsking = true;
      this.#hinder(`${by} changed them meanwhile.`);
      this.#say({ name: 'conflict', theirs: theirs.labels, by });
      void this.#follow();
      return false;
    } catch {
      await untilRetry();
      return true;
    }
  }

  /** Until the question is answered: what the others have by now is told. */
  async #follow() {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    for (;;) {
      await untilRetry();
      if (!this.#isAsking || !unsaved.has(this)) break;
      if (!document.hidden) await this.#tellNewest();
    }
    this.#isFollowing = false;
  }

  async #tellNewest() {
    const theirs = await this.#load().catch(() => undefined);
    if (theirs === undefined || theirs.revision === this.#revision) return;
    const by = await theirs.who();
    if (!this.#isAsking) return;
    this.#revision = theirs.revision;
    this.#say({ name: 'conflict', theirs: theirs.labels, by });
  }

  /** @param {string} why */
  #hinder(why) {
    this.#why = why;
    if (this.#waiting !== undefined) this.#kept.keep(this.#waiting, this.#base, why);
  }

  /** @param {Labels} labels @param {string} revision */
  #saved(labels, revision) {
    this.#revision = revision;
    this.#base = revision;
    if (this.#waiting !== labels) {
      if (this.#waiting !== undefined) this.#kept.keep(this.#waiting, revision);
      return;
    }
    this.#waiting = undefined;
    this.#kept.forget();
    unsaved.delete(this);
    this.#say({ name: 'saved' });
  }
}
