// The decision about one image of an annotation job: it is approved, or sent back with a comment.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { annotateAddress } from '../addresses.js';
import { forgetKeys, holdKeys } from './held-keys.js';
import { evaluationIn, markUndecided, nextUndecided, undecidedAgain } from './image-queue.js';
import { KeptDecision } from './kept-decision.js';
import { goTo } from './keys.js';
import { service } from './labelling-service.js';
import { mayGoWell, unsaved, untilRetry } from './retry.js';
import { isDecided, leftIn, ReviewPanel } from './review-panel.js';

/** @import { JobImages, QueueName } from '../types.ts' */

/**
 * The review to which an image belongs; undefined: its queue is none.
 * @template {readonly unknown[]} Labels
 * @param {{ slug: string, image: string, queue: QueueName, known: JobImages | undefined }} at
 * @param {import('./annotation-saver.js').AnnotationSaver<Labels>} saver
 * @param {{ lookAgain: () => Promise<boolean>, allDecided: () => void }} on
 */
export function reviewOf({ slug, image, queue, known }, saver, { lookAgain, allDecided }) {
  if (known === undefined || known.job.independent) return undefined;
  return new Review({ slug, job: queue.job, image }, known, {
    settled: async () => ((await saver.settled()) ? saver.revision : undefined),
    lookAgain,
    withdrawn: () => markUndecided(image),
    decided: async (left) => {
      const known = nextUndecided(image);
      const next = known ?? (left > 0 ? await undecidedAgain(slug, queue) : undefined);
      if (next !== undefined) return goTo(annotateAddress(slug, next, queue));
      forgetKeys();
      if (left === 0) allDecided();
    },
  });
}

/**
 * Makes an annotation job of the images of a search, and goes there.
 * @param {string} slug
 * @param {{ queue: QueueName, ids: readonly string[], isOrdered: boolean }} images
 * @param {string} [words] of what
 * @returns {Promise<string | undefined>} why it was not made
 */
export async function startReview(slug, { queue: { query }, ids, isOrdered }, words = query) {
  const what = `Review of ${words === '' ? 'all images' : words}`.slice(0, 200).toWellFormed();
  try {
    const job = await service().createReview(slug, what, ids, isOrdered);
    // Whose predictions stand beside the labels.
    const judged = evaluationIn(query) === undefined ? '' : query;
    service().goTo(annotateAddress(slug, '', { job, query: judged }));
    return undefined;
  } catch (thrown) {
    return `No review was started: ${failureOf(thrown).words}`;
  }
}

/** @typedef {import('./kept-decision.js').Decision} Decision */

/** Decisions that wait to be sent, by their job and image. @type {Map<string, Review>} */
const waiting = new Map();

class Review {
  #at;
  #on;
  #panel;
  /** @type {JobImages} */
  #known;
  /** The last one that was made, until it is sent. @type {Decision | undefined} */
  #wanted;
  #isBusy = false;
  /** By who decided: decisions about the image, and the revision of its labels. */
  #seen = { decisions: 0, revision: '' };
  #kept;

  /**
   * @param {{ slug: string, job: string, image: string }} at
   * @param {JobImages} known the job, with this image
   * @param {{
   *   settled: () => Promise<string | undefined>,
   *   lookAgain: () => Promise<boolean>,
   *   decided: (left: number) => Promise<void>,
   *   withdrawn: () => void,
   * }} on `settled`: the revision of the saved labels; undefined: they could not be saved.
   *   `decided`: so many others of the job are not.
   *   `lookAgain`: whether other labels are shown now
   */
  constructor(at, known, on) {
    this.#at = at;
    this.#on = on;
    this.#known = known;
    this.#kept = new KeptDecision(at);
    this.#panel = new ReviewPanel({
      approve: () => this.approve(),
      sendBack: (comment) => this.#decide({ decision: 'send_back', comment }),
    });
    this.#panel.show(known);
    const { before } = this.#kept;
    // Once all of the image is there.
    if (before !== undefined) setTimeout(() => void this.#decide(before.decision, before));
  }

  /** Whether what waits to be sent is there after the page was loaded anew. */
  get isKept() {
    return this.#kept.isKept;
  }

  get root() {
    return this.#panel.root;
  }

  approve() {
    void this.#decide({ decision: 'approve' });
  }

  /** Asks what is wrong with the image. */
  askWhy() {
    this.#panel.askWhy();
  }

  /** What went wrong before does not matter any more. */
  dismissProblem() {
    this.#panel.say('', '');
  }

  /** A change of the labels withdraws what was decided about them: the person sees that. */
  async labelsChanged() {
    const seen = this.#known;
    if (!isDecided(seen.images[0]?.state)) return;
    const { slug, job, image } = this.#at;
    const now = await service()
      .getJobImages(slug, job, image)
      .catch(() => undefined);
    // What was decided meanwhile is newer.
    if (now === undefined || this.#isBusy || this.#known !== seen) return;
    this.#show(now);
    if (!isDecided(now.images[0]?.state)) this.#on.withdrawn();
  }

  /**
   * One that waits to be sent is replaced.
   * @param {Decision} decision
   * @param {{ decisions: number, revision: string }} [seen] by who decided, before the page was loaded
   */
  async #decide(decision, seen = { decisions: this.#decisions, revision: '' }) {
    this.#wanted = decision;
    if (this.#isBusy) {
      this.#keep();
      return this.#panel.say(waitingWords(decision), '');
    }
    this.#isBusy = true;
    this.#seen = { decisions: seen.decisions, revision: seen.revision };
    const key = JSON.stringify(this.#at);
    waiting.get(key)?.giveUp();
    waiting.set(key, this);
    unsaved.add(this);
    this.#keep();
    await this.#sendWanted();
    // Else another one works in the tab now, and it waits for who decided.
    if (unsaved.has(this)) this.giveUp();
    if (waiting.get(key) === this) waiting.delete(key);
    this.#isBusy = false;
  }

  /** What is not sent yet is not sent any more. */
  giveUp() {
    this.#wanted = undefined;
    this.#kept.forget();
    unsaved.delete(this);
  }

  get #decisions() {
    return this.#known.images[0]?.decisions ?? 0;
  }

  #keep() {
    if (this.#wanted === undefined) return;
    this.#kept.keep({ decision: this.#wanted, ...this.#seen });
  }

  /** Until the last decision is known to the platform, or refused. */
  async #sendWanted() {
    this.#panel.say('Saving the decision…', '');
    holdKeys();
    const revision = await this.#on.settled();
    if (revision === undefined) {
      forgetKeys();
      return this.#panel.say('Not decided: the labels are not saved.', 'bad');
    }
    if (this.#seen.revision === '') this.#seen = { ...this.#seen, revision };
    this.#keep();
    while (this.#wanted !== undefined && unsaved.has(this)) {
      if (!(await this.#attempt(this.#wanted))) break;
    }
  }

  /** Whether to go on. @param {Decision} decision */
  async #attempt(decision) {
    const { slug, job, image } = this.#at;
    const { revision, decisions } = this.#seen;
    const sent = { ...decision, annotation_revision: revision, decisions };
    try {
      const now = await service().decideImage(slug, job, image, sent);
      this.#show({ job: now.job, images: [now.image] });
      this.#seen = { decisions: this.#decisions, revision };
      if (this.#wanted !== undefined && this.#wanted !== decision) return true;
      this.#kept.forget();
      this.#panel.say('', '');
      if (this.#panel.root.isConnected) await this.#on.decided(leftIn(now.job));
      return false;
    } catch (thrown) {
      const { status, words } = failureOf(thrown);
      const isTried = mayGoWell(thrown);
      if (status === 409) await this.#meet(words);
      else if (isTried)
        this.#panel.say(`${words} ${waitingWords(this.#wanted ?? decision)}`, 'bad');
      else this.#panel.say(`Not decided: ${words}`, 'bad');
      // What was typed before the person could see that was meant for the next image.
      forgetKeys();
      if (isTried) await untilRetry(status);
      return isTried;
    }
  }

  /** Somebody was faster: what they did is shown, and the person decides again. */
  async #meet(/** @type {string} */ words) {
    const { slug, job, image } = this.#at;
    const seen = this.#seen.decisions;
    holdKeys();
    try {
      this.#show(await service().getJobImages(slug, job, image));
      const isOther = seen !== this.#decisions;
      if (isOther) this.#panel.say(`${words} Decide again to replace that.`, 'bad');
      else if (await this.#on.lookAgain()) {
        this.#panel.say(`${words} You see them as they are now: decide again.`, 'bad');
      } else this.#panel.say(words, 'bad');
    } catch {
      this.#panel.say(`Not decided: ${words}`, 'bad');
    }
  }

  /** @param {JobImages} known */
  #show(known) {
    this.#known = known;
    this.#panel.show(known);
  }
}

/** @param {Decision} decision */
function waitingWords({ decision, comment }) {
  const what = decision === 'approve' ? 'Approved' : `Sent back: “${comment}”`;
  return `${what}, but not sent yet: that waits for the platform. Another decision replaces it.`;
}
