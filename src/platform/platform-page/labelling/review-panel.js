// Beside the picture: how far a review is, what was decided about this image, and the decision.

import { element, shownText } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { deciderWords } from './other-person.js';
import { button } from './panel-parts.js';

/** @import { JobImage, Job, JobImages } from '../types.ts' */

/** As many characters as the platform takes. */
const commentMax = 1_000;

export class ReviewPanel {
  root;
  #head = element('h3', {});
  #instructions = element('p', { class: 'instructions' });
  #bar = element('progress', { 'aria-label': 'Decided images' });
  #figures = element('p', { class: 'quiet' });
  #decision = element('p', { class: 'decision' });
  #state = element('p', { role: 'alert', hidden: true });
  #comment = element('textarea', {
    'aria-label': 'Why it is sent back',
    placeholder: 'What is wrong with it?',
    maxlength: commentMax,
    rows: 2,
    autocomplete: 'off',
  });

  /** @param {{ approve: () => void, sendBack: (comment: string) => void }} on */
  constructor({ approve, sendBack }) {
    // No form: hosts of MCP Apps let pages submit none.
    const send = () => {
      const comment = this.#comment.value.trim();
      if (comment === '') this.askWhy();
      else sendBack(comment);
    };
    this.#comment.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
      if (event.key === 'Escape') this.#comment.blur();
    });
    this.root = element(
      'section',
      { class: 'stack review', 'aria-label': 'Review' },
      this.#head,
      this.#instructions,
      this.#bar,
      this.#figures,
      this.#decision,
      this.#state,
      button('Approve', approve),
      element('div', { class: 'stack' }, this.#comment, button('Send back', send)),
    );
  }

  /** @param {JobImages} known */
  show({ job, images: [image] }) {
    this.#head.textContent = shownText(job.name ?? 'Review');
    const { instructionsText: words, name } = job;
    const isOwn = typeof words === 'string' && words !== name;
    this.#instructions.textContent = isOwn ? shownText(words) : '';
    const { approved = 0, rejected = 0, numImages = 0 } = job;
    this.#bar.max = Math.max(1, numImages);
    this.#bar.value = approved + rejected;
    this.#figures.textContent = progressWords(job);
    this.#decision.textContent = image === undefined ? '' : shownText(decisionWords(image));
  }

  askWhy() {
    this.#comment.focus();
  }

  /** @param {string} words empty: nothing is wrong @param {'' | 'bad'} look */
  say(words, look) {
    this.#state.hidden = words === '';
    this.#state.className = look === '' ? 'quiet' : look;
    this.#state.textContent = shownText(words);
  }
}

/** How many images of a job are not decided. @param {Job} job */
export function leftIn({ approved = 0, rejected = 0, numImages = 0 }) {
  return numImages - approved - rejected;
}

/** @param {Job} job */
export function progressWords(job) {
  const { approved = 0, rejected = 0, annotated = 0 } = job;
  const left = leftIn(job);
  const labelled = annotated > 0 ? `, ${count(annotated)} of them labelled` : '';
  return `${count(approved)} approved, ${count(rejected)} sent back, ${count(left)} left${labelled}`;
}

/** @param {JobImage} image */
function decisionWords(image) {
  const { comment, decided_by: who, decided_at: at } = image;
  if (at === undefined) return 'Nobody has decided about this image.';
  const when = new Date(at * 1000).toLocaleString();
  const what = comment === undefined ? 'approved it' : `sent it back: “${comment}”`;
  const since = stands(image) ? '' : ' Its labels were changed since: that counts no more.';
  return `${deciderWords(who)} ${what} (${when}).${since}`;
}

/** Whether what was decided is of the labels as they are. @param {JobImage} image */
function stands({ state, labels_changed: areOther = false }) {
  return isDecided(state) && !areOther;
}

/** @param {string | undefined} state of an image in a job */
export function isDecided(state) {
  return state === 'approved' || state === 'rejected';
}
