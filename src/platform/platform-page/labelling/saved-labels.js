// The labels of one image between its editor and the platform: what is changed here is saved, what
// waits is kept for who comes back, and what others have saved meanwhile is beside it.

import { revisionOf } from '../boxes-of-image.js';
import { AnnotationSaver } from './annotation-saver.js';
import { readLabels } from './image-labels.js';

/** @import { Image, Place, SaveState } from '../types.ts' */

/** @template One a box, or a class of the whole image */
export class SavedLabels {
  #saver;
  #draft;
  #on;
  #isSame;
  #labels;
  #kept;
  /** Those of an image that nobody had annotated. @type {readonly One[] | undefined} */
  #none;
  /** Given to be saved last. @type {readonly One[] | undefined} */
  #saved;
  /** What others have saved, until the person answers. @type {readonly One[] | undefined} */
  #theirs;
  /** Whether anything was changed here since the labels of others were shown. */
  #isTouched = false;
  /** The revision of others that was told last. */
  #told = '';
  /** What became of classes since the labels were saved last, in sentences. */
  #classNews = '';

  /**
   * @param {Image} image
   * @param {Place} place
   * @param {{
   *   labelsOf: (image: Image) => readonly One[],
   *   fileOf: (labels: readonly One[]) => string,
   *   isOne: (value: unknown) => value is One,
   *   isSame: (some: readonly One[], others: readonly One[]) => boolean,
   * }} kind
   * @param {{
   *   labels: () => readonly One[],
   *   replace: (labels: readonly One[]) => void,
   *   isShown: () => boolean,
   *   isBusy: () => boolean,
   *   say: (state: SaveState<readonly One[]>) => void,
   *   rename: (renamed: ReadonlyMap<string, string>) => void,
   *   tell: (words: string, look?: '' | 'bad') => void,
   *   tellNewer: (words: string, take: () => Promise<void>) => void,
   * }} on `labels`: those that are shown; `replace`: shows others, undo has those of before;
   *   `rename`: those of before have these names too
   */
  constructor(image, { labels, kept }, { labelsOf, fileOf, isOne, isSame }, on) {
    this.#on = on;
    this.#isSame = isSame;
    this.#labels = labels;
    this.#kept = kept;
    this.#saved = on.labels();
    this.#none = image.annotated === true ? undefined : this.#saved;
    this.#draft = kept.draft(isOne);
    if (this.#draft?.isUndone) this.#none = this.#draft.labels;
    this.#saver = new AnnotationSaver({
      revision: this.#draft?.base ?? revisionOf(image),
      save: (changed, revision) => {
        // Who undoes all has not said that nothing is there.
        if (changed === this.#none && labels.remove) return labels.remove(image.id, revision);
        const seen = { revision, classState: kept.classState };
        return labels.save(image.id, fileOf(changed), seen);
      },
      followClasses: () => this.#followClasses(),
      load: () => readLabels(labels, image.id, labelsOf),
      isSame,
      kept,
      say: (state) => {
        if (state.name === 'saved') this.#classNews = '';
        if (state.name !== 'conflict') return on.say(state);
        this.#theirs = state.theirs;
        on.say({ ...state, classNews: this.#classNews });
      },
    });
    const stop = () => this.#saver.stop();
    const isUndone = (/** @type {unknown} */ labels) => labels === this.#none;
    kept.sentBy({ stop, isShown: on.isShown, isUndone });
  }

  get saver() {
    return this.#saver;
  }

  /** The image is there again. */
  sendAgain() {
    this.#saver.sendAgain();
  }

  get theirs() {
    return this.#theirs;
  }

  /** What was not saved before is shown, and sent. */
  resume() {
    if (this.#draft === undefined) return;
    this.#on.replace(this.#draft.labels);
    this.save(this.#draft.labels);
  }

  /**
   * As long as two versions stand side by side, the person decides which one is saved.
   * @param {readonly One[]} labels
   */
  save(labels) {
    if (labels === this.#saved) return;
    this.#saved = labels;
    this.#isTouched = true;
    if (this.#theirs === undefined) this.#saver.change(labels);
    else this.#saver.hold(labels);
  }

  /** After a conflict. */
  keepMine() {
    this.#theirs = undefined;
    this.#saver.keepMine();
  }

  /** After a conflict; what was drawn here can be had back by undo. */
  async takeTheirs() {
    await this.#followClasses();
    this.#show(await this.#saver.takeTheirs());
  }

  /** Whether others changed the labels, which are shown then. */
  async lookAgain() {
    await this.#followClasses();
    const theirs = await this.#saver.reload();
    if (theirs === undefined || this.#isSame(theirs, this.#on.labels())) return false;
    this.#show(theirs);
    return true;
  }

  /** What others saved is shown where nothing was changed here; else the person is told of it. */
  async lookForNews() {
    const found = await this.#saver.newer();
    if (found === undefined || found.revision === this.#told) return;
    const { labels, revision, who } = found;
    if (this.#isSame(labels, this.#on.labels())) return this.#saver.meet(revision);
    const by = await who();
    await this.#followClasses();
    // Changed here meanwhile: that meets it when it is saved.
    if (!(await this.#saver.settled())) return;
    this.#told = revision;
    if (this.#isTouched || this.#on.isBusy()) {
      const words = `${by} changed this image: there is a newer version.`;
      return this.#on.tellNewer(words, () => this.takeTheirs());
    }
    this.#saver.meet(revision);
    this.#show(labels);
    this.#on.tell(`${by} changed this image: you see it as it is now.`);
  }

  /** What was drawn here, and what undo brings back, has the names that its classes have by now. */
  async #followClasses() {
    const before = this.#kept.classState;
    const changes = await this.#labels.classesSince?.(before);
    if (changes === undefined || this.#kept.classState !== before) return false;
    const { class_state: state, renamed, removed } = changes;
    if (state === before) return false;
    this.#kept.classState = state;
    const wasSaved = this.#saved === this.#on.labels();
    this.#classNews += classNews(renamed, removed);
    this.#on.rename(new Map(Object.entries(renamed)));
    if (wasSaved) this.#saved = this.#on.labels();
    this.#saver.rename(this.#on.labels());
    if (removed.length > 0) {
      const words = removed.join(', ');
      this.#on.tell(
        `Somebody removed ${words} from the project: what you drew with it keeps it.`,
        'bad',
      );
    }
    return true;
  }

  /** @param {readonly One[]} labels */
  #show(labels) {
    this.#isTouched = false;
    this.#theirs = undefined;
    this.#saved = labels;
    this.#on.replace(labels);
  }
}

/** @param {Readonly<Record<string, string>>} renamed @param {readonly string[]} removed */
function classNews(renamed, removed) {
  const words = [
    ...Object.entries(renamed).map(([before, after]) => ` ${before} was renamed ${after}.`),
    ...removed.map((name) => ` The class ${name} was removed.`),
  ];
  return words.join('');
}
