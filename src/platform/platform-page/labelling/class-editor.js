// One image to name: its classes are chosen by keys or by hand, and saved as they change.

import { element } from '../../../http-server/page-assets/elements.js';
import { sizeOf } from '../boxes-of-image.js';
import { EditHistory } from './edit-history.js';
import { sayState } from './image-labels.js';
import { goTo, listenToKeys } from './keys.js';
import {
  button,
  classForm,
  imageLinks,
  keyDialog,
  reviewButton,
  StateLine,
  showClasses,
} from './panel-parts.js';
import { reviewOf, startReview } from './review.js';
import { SavedLabels } from './saved-labels.js';

/** @import { Image, Place, SaveState } from '../types.ts' */

/** @type {import('./panel-parts.js').DescribedKeys} */
const described = [
  ['1 to 9', 'Choose the class, or take it back'],
  ['E', 'None of the classes'],
  ['Ctrl+Z, Ctrl+Y', 'Undo, redo'],
  ['N, P', 'Next image, the one before'],
  ['A', 'In a review: approve the image'],
  ['S', 'In a review: say why it is sent back; Ctrl+Enter sends it back'],
  ['?', 'These keys'],
];

export class ClassEditor {
  root;
  #classes;
  #isSingle;
  #history;
  saved;
  #review;
  #chips = element('div', { class: 'chips', role: 'group', 'aria-label': 'Classes' });
  #state = new StateLine();
  #help = keyDialog(described);
  #undo = button('Undo', () => this.#go(this.#history.undo()));
  #redo = button('Redo', () => this.#go(this.#history.redo()));

  /**
   * @param {string} slug
   * @param {Image} image
   * @param {Place} place
   * @param {boolean} isSingle whether an image has one class at most
   */
  constructor(slug, image, place, isSingle) {
    this.#classes = place.classes;
    this.#classes.meet(image.labels ?? []);
    this.#isSingle = isSingle;
    this.#history = new EditHistory(labelsOf(image));
    const kind = { labelsOf, fileOf: JSON.stringify, isOne: isClass, isSame };
    this.saved = new SavedLabels(image, place, kind, {
      labels: () => this.#history.labels,
      replace: (labels) => {
        this.#history.change(labels);
        this.#show();
      },
      isShown: () => this.root.isConnected,
      isBusy: () => false,
      say: (state) => this.#say(state),
      rename: (renamed) => this.#rename(renamed),
      tell: (words, look = '') => this.#state.tell(words, look),
      tellNewer: (words, take) => this.#state.tellNewer(words, take),
    });
    const { queue, known } = place;
    this.#review = reviewOf({ slug, image: image.id, queue, known }, this.saved.saver, {
      lookAgain: () => this.#lookAgain(),
      allDecided: () => this.#tell('Every image of this job is decided.'),
    });
    const name = String(image.name ?? image.id);
    const photo = element('img', { src: String(image.urls?.original ?? ''), alt: name });
    const picture = element('div', { class: 'canvas plain' }, photo);
    const { width, height } = sizeOf(image);
    picture.style.setProperty('--ratio', String(width / height));
    const panel = this.#panel(slug, place);
    if (this.#review !== undefined) panel.prepend(this.#review.root);
    this.root = element('div', { class: 'annotate' }, picture, panel);
    this.#tell(sayState(image, place.labels));
    this.#listen(place);
    this.#show();
    this.saved.resume();
  }

  /**
   * @param {string} slug
   * @param {Place} place
   */
  #panel(slug, place) {
    const review = async () => {
      const problem = await startReview(slug, place);
      if (problem !== undefined) this.#tell(problem);
    };
    const buttons = element(
      'div',
      { class: 'row' },
      this.#undo,
      this.#redo,
      button('None of them', () => this.#change([])),
      button('Keys', () => this.#help.showModal()),
      reviewButton(place, review),
    );
    return element(
      'section',
      { class: 'stack', 'aria-label': 'Annotation' },
      imageLinks(place),
      ...this.#state.parts,
      this.#chips,
      classForm((name) => this.#add(name)).form,
      buttons,
      this.#help,
    );
  }

  /** Other classes may be offered by now. */
  followClasses() {
    this.#classes.meet(this.#history.labels);
    this.#show();
  }

  /** @param {ReadonlyMap<string, string>} renamed classes that were merged are one */
  #rename(renamed) {
    const after = (/** @type {string} */ name) => renamed.get(name) ?? name;
    this.#history.amend((labels) => [...new Set(labels.map(after))]);
    this.followClasses();
  }

  /** @param {string} name */
  #add(name) {
    this.#classes.add(name);
    if (!this.#history.labels.includes(name)) this.#toggle(name);
  }

  /** @param {{ before: string | undefined, after: string | undefined }} place */
  #listen({ before, after }) {
    /** @type {ReadonlyMap<string, () => void>} */
    const plain = new Map([
      ['e', () => this.#change([])],
      ['n', () => goTo(after)],
      ['p', () => goTo(before)],
      ['a', () => this.#review?.approve()],
      ['s', () => this.#review?.askWhy()],
      ['?', () => this.#help.showModal()],
    ]);
    listenToKeys(this.root, {
      down: ({ key, ctrlKey, metaKey, altKey, shiftKey }) => {
        const letter = key.toLowerCase();
        if (ctrlKey || metaKey) {
          if (letter !== 'z' && letter !== 'y') return false;
          this.#go(letter === 'z' && !shiftKey ? this.#history.undo() : this.#history.redo());
          return true;
        }
        if (altKey) return false;
        const name = /^[1-9]$/.test(key) ? this.#classes.names[Number(key) - 1] : undefined;
        if (name !== undefined) this.#toggle(name);
        const act = plain.get(letter);
        act?.();
        return name !== undefined || act !== undefined;
      },
    });
  }

  /** @param {string} name */
  #toggle(name) {
    const { labels } = this.#history;
    if (labels.includes(name)) this.#change(labels.filter((other) => other !== name));
    else this.#change(this.#isSingle ? [name] : [...labels, name]);
  }

  /** @param {readonly string[]} labels */
  #change(labels) {
    this.#history.change(labels);
    this.#go(true);
  }

  /** @param {boolean} isChanged */
  #go(isChanged) {
    if (!isChanged) return;
    this.saved.save(this.#history.labels);
    this.#show();
  }

  /** @param {SaveState<readonly string[]>} state */
  #say(state) {
    if (state.name === 'saved' || state.name === 'conflict') void this.#review?.labelsChanged();
    if (state.name === 'conflict') this.#showConflict(state);
    else this.#state.tellSaved(state);
  }

  /** Whether others changed the classes, which are shown then; undo has those that were here. */
  async #lookAgain() {
    const isOther = await this.saved.lookAgain();
    if (isOther) this.#tell('Somebody else changed this image.');
    return isOther;
  }

  /** @param {Extract<SaveState<readonly string[]>, { name: 'conflict' }>} state */
  #showConflict({ theirs, by, classNews = '' }) {
    this.#state.askAfterConflict(by, `they say ${listOf(theirs)}`, classNews, {
      keepMine: () => {
        this.saved.keepMine();
        this.#review?.dismissProblem();
      },
      takeTheirs: async () => {
        await this.saved.takeTheirs();
        this.#review?.dismissProblem();
      },
    });
  }

  /** @param {string} words */
  #tell(words) {
    this.#state.tell(words, '');
  }

  #show() {
    const { labels, canUndo, canRedo } = this.#history;
    showClasses(this.#chips, this.#classes.names, {
      choose: (name) => this.#toggle(name),
      mark: (chip, name) => chip.setAttribute('aria-pressed', String(labels.includes(name))),
    });
    this.#undo.disabled = !canUndo;
    this.#redo.disabled = !canRedo;
  }
}

/** @param {Image} image @returns {readonly string[]} */
function labelsOf({ labels = [] }) {
  return labels;
}

/** @param {unknown} value @returns {value is string} */
function isClass(value) {
  return typeof value === 'string';
}

/** Whatever their order. @param {readonly string[]} some @param {readonly string[]} others */
function isSame(some, others) {
  return JSON.stringify(some.toSorted()) === JSON.stringify(others.toSorted());
}

/** @param {readonly string[]} labels */
function listOf(labels) {
  return labels.length === 0 ? 'none of the classes' : labels.join(', ');
}
