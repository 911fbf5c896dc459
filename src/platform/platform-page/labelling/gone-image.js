// An image that somebody deleted: the page says so, and leads on to the next one of its queue.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { goTo, listenToKeys } from './keys.js';
import { button } from './panel-parts.js';

/** @typedef {{ before: string | undefined, after: string | undefined }} Neighbours their addresses */

/** Above the image that is open; hidden as long as it is there. */
export class GoneNotice {
  root;
  #words = element('p', {});

  /** @param {Neighbours} place */
  constructor(place) {
    const attributes = { class: 'notice bad', role: 'alert', hidden: true };
    this.root = element('div', attributes, this.#words, waysOn(place));
  }

  /**
   * Whether the image was gone, and is back.
   * @param {() => Promise<void>} look at the image
   * @param {() => boolean} hasWaiting whether labels of it are not saved
   */
  async follow(look, hasWaiting) {
    const wasGone = !this.root.hidden;
    const isGone = await look().then(() => false, isNotThere);
    const kept = 'What you drew is kept in this tab, and saved when the image is restored.';
    const words = `This image was deleted. ${hasWaiting() ? kept : 'Nothing of yours is lost.'}`;
    // Read aloud only when it says something else.
    if (this.#words.textContent !== words) this.#words.textContent = words;
    this.root.hidden = !isGone;
    return wasGone && !isGone;
  }
}

/** In place of an image that was in the queue when that was opened. @param {Neighbours} place */
export function goneView(place) {
  const words = element('p', { class: 'empty' }, 'This image was deleted.');
  const root = element('div', { class: 'stack' }, words, waysOn(place));
  /** @type {ReadonlyMap<string, string | undefined>} */
  const addresses = new Map([
    ['n', place.after],
    ['p', place.before],
  ]);
  listenToKeys(root, {
    down: ({ key, ctrlKey, metaKey, altKey }) => {
      const address = addresses.get(key.toLowerCase());
      if (address === undefined || ctrlKey || metaKey || altKey) return false;
      goTo(address);
      return true;
    },
  });
  return { title: 'Deleted image', parts: [root] };
}

/** Undefined where it is not there. @template Found @param {Promise<Found>} looked */
export function unlessGone(looked) {
  return looked.catch((thrown) => {
    isNotThere(thrown);
    return undefined;
  });
}

/** Throws what is wrong else. @param {unknown} thrown */
function isNotThere(thrown) {
  if (failureOf(thrown).status !== 404) throw thrown;
  return true;
}

/** @param {Neighbours} place */
function waysOn({ before, after }) {
  const other = after ?? before;
  if (other === undefined) return element('p', {}, 'There is no other image in this queue.');
  return button(after === undefined ? 'Image before' : 'Next image', () => goTo(other));
}
