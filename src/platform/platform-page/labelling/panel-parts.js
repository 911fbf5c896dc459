// The parts that every panel beside a picture has: buttons, ways to the next image, a field for new
// classes, the table of keys, and how far the labels are saved.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { colourOf } from '../../../http-server/page-assets/drawing.js';
import { element, shownText } from '../../../http-server/page-assets/elements.js';

/** @import { Place, SaveState } from '../types.ts' */

/** @param {string} words @param {() => void} act */
export function button(words, act) {
  const made = element('button', { type: 'button' }, words);
  made.addEventListener('click', act);
  return made;
}

/** The image before and the next one. @param {Place} place */
export function imageLinks({ before, after, where }) {
  return element(
    'nav',
    { class: 'row', 'aria-label': 'Images' },
    before !== undefined && element('a', { href: before }, '‹ Before'),
    element('span', { class: 'quiet' }, where),
    after !== undefined && element('a', { href: after }, 'Next ›'),
  );
}

/** False: the images belong to a review, or to no queue. @param {Place} place @param {() => void} act */
export function reviewButton({ queue, where }, act) {
  return queue.job === '' && where !== '' && button('Review these images', act);
}

/**
 * Shows the classes by their numbers, and leaves the focus where it is.
 * @param {HTMLElement} root
 * @param {readonly string[]} classes
 * @param {{ choose: (name: string) => void, mark: (chip: HTMLElement, name: string) => void }} on
 */
export function showClasses(root, classes, { choose, mark }) {
  const focused = [...root.children].indexOf(document.activeElement ?? root);
  const chips = classes.map((name, at) => {
    const chip = button(at < 9 ? `${at + 1} ${name}` : name, () => choose(name));
    chip.className = `chip c${colourOf(name)}`;
    mark(chip, name);
    return chip;
  });
  root.replaceChildren(...chips);
  chips[focused]?.focus();
}

/**
 * Takes the name of a class. It is no form: hosts of MCP Apps let pages submit none.
 * @param {(name: string) => void} add
 */
export function classForm(add) {
  const field = element('input', {
    placeholder: 'New class',
    'aria-label': 'New class',
    maxlength: 200,
    autocomplete: 'off',
  });
  const take = () => {
    const name = field.value.trim();
    if (name === '') return;
    field.value = '';
    add(name);
  };
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Enter') take();
    else if (event.key === 'Escape') field.blur();
  });
  const form = element('div', { class: 'row' }, field, button('Add class', take));
  return { form, field };
}

/** @typedef {readonly (readonly [keys: string, what: string])[]} DescribedKeys */

/** @param {DescribedKeys} described */
export function keyDialog(described) {
  const rows = described.map(([keys, what]) =>
    element('tr', {}, element('th', { scope: 'row' }, keys), element('td', {}, what)),
  );
  const table = element('table', {}, element('tbody', {}, ...rows));
  const dialog = element('dialog', { 'aria-label': 'Keys' }, table);
  dialog.append(button('Close', () => dialog.close()));
  return dialog;
}

/** So long a refusal is read. */
const refusalReadMs = 4_000;

/** Says how far the labels are saved, and asks which ones are kept after a conflict. */
export class StateLine {
  #state = element('p', { role: 'status' });
  #conflict = element('div', { class: 'notice bad', role: 'alert', hidden: true });
  #question = element('p', {});
  /** What was done to other images, which stands beside how far this one is saved. */
  #elsewhere = element('p', { role: 'status', class: 'quiet' });
  /** What stands in the panel. */
  parts = [this.#conflict, this.#state, this.#elsewhere];
  #refusedMs = Number.NEGATIVE_INFINITY;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #later;

  /**
   * What is `bad` stays for some seconds, whatever is saved meanwhile. The question after a conflict
   * stays until it is answered.
   * @param {string} words @param {'' | 'bad'} look
   */
  tell(words, look) {
    this.#refusedMs = look === 'bad' ? performance.now() : Number.NEGATIVE_INFINITY;
    this.#show(words, look);
  }

  /** Of other images than the one that is shown. @param {string} words */
  tellElsewhere(words) {
    this.#elsewhere.textContent = words;
  }

  /** @param {string} words @param {'' | 'bad'} look */
  #show(words, look) {
    clearTimeout(this.#later);
    this.#state.className = look === '' ? 'quiet' : look;
    this.#state.textContent = shownText(words);
  }

  /** @param {Exclude<SaveState<unknown>, { name: 'conflict' }>} state */
  tellSaved(state) {
    const wasAsking = !this.#conflict.hidden;
    this.#conflict.hidden = true;
    if ('words' in state) {
      const what = state.name === 'waiting' ? 'Not saved yet, it is tried again' : 'Not saved';
      return this.#show(`${what}: ${state.words}`, 'bad');
    }
    const words = state.name === 'saved' ? 'Saved.' : 'Saving…';
    const waitMs = this.#refusedMs + refusalReadMs - performance.now();
    clearTimeout(this.#later);
    if (waitMs <= 0 || wasAsking) this.#show(words, '');
    else this.#later = setTimeout(() => this.#show(words, ''), waitMs);
  }

  /** Nothing of here is in danger. @param {string} words @param {() => Promise<void>} take */
  tellNewer(words, take) {
    if (!this.#conflict.hidden) return;
    this.#question.textContent = words;
    this.#conflict.hidden = false;
    const answers = [button('Show it', () => this.#take(take, answers))];
    this.#conflict.replaceChildren(this.#question, ...answers);
  }

  /**
   * Asked again, the question has the new words.
   * @param {string} by who they are
   * @param {string} theirs what they say, in words
   * @param {string} classNews what became of classes meanwhile, in sentences
   * @param {{ keepMine: () => void, takeTheirs: () => Promise<void> }} commands
   */
  askAfterConflict(by, theirs, classNews, { keepMine, takeTheirs }) {
    const words = shownText(`${by} changed this image: ${theirs}.${classNews}`);
    // Read aloud only when it says something else.
    if (this.#question.textContent !== words) this.#question.textContent = words;
    if (!this.#conflict.hidden && this.#conflict.childElementCount > 2) return;
    this.#state.textContent = '';
    this.#conflict.hidden = false;
    const answers = [
      button('Keep mine', keepMine),
      button('Take theirs', () => this.#take(takeTheirs, answers)),
    ];
    this.#conflict.replaceChildren(this.#question, ...answers);
  }

  /** @param {() => Promise<void>} takeTheirs @param {readonly HTMLButtonElement[]} answers */
  async #take(takeTheirs, answers) {
    for (const answer of answers) answer.disabled = true;
    try {
      await takeTheirs();
    } catch (thrown) {
      this.tell(`Not taken: ${failureOf(thrown).words}`, 'bad');
    }
    for (const answer of answers) answer.disabled = false;
  }
}
