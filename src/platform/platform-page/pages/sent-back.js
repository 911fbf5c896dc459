// The images of a job that were sent back, and why: read when somebody wants to see them.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { annotateAddress } from '../addresses.js';
import { getJobImages } from '../api.js';
import { leadsToSignIn } from '../refused-key.js';

/** Of one job; the labelling page has all. */
const shownMax = 20;

export class SentBack {
  root;
  #slug;
  #job;
  #list = element('ul', {}, element('li', { class: 'quiet' }, 'Reading…'));
  #isRead = false;

  /** @param {string} slug @param {string} job @param {number} images @param {boolean} isOpen */
  constructor(slug, job, images, isOpen) {
    this.#slug = slug;
    this.#job = job;
    const words = images === 1 ? '1 image' : `${count(images)} images`;
    this.root = element(
      'details',
      { class: 'sent-back', open: isOpen },
      element('summary', {}, words),
      this.#list,
    );
    this.root.addEventListener('toggle', () => {
      if (this.root.open) void this.#read();
    });
  }

  async #read() {
    if (this.#isRead) return;
    this.#isRead = true;
    try {
      const { images } = await getJobImages(this.#slug, this.#job);
      const sent = images.filter(({ state }) => state === 'rejected');
      const rows = sent.slice(0, shownMax).map((image) => {
        const { id, name, comment = '', labels_changed: isChanged } = image;
        const href = annotateAddress(this.#slug, id, { job: this.#job });
        const since = isChanged ? ' (its labels were changed since)' : '';
        const words = comment && `: “${comment}”`;
        return element('li', {}, element('a', { href }, name), words + since);
      });
      const left = sent.length - rows.length;
      this.#list.replaceChildren(...rows);
      if (left > 0) this.#list.append(element('li', { class: 'note' }, `and ${count(left)} more`));
    } catch (thrown) {
      this.#isRead = false;
      if (leadsToSignIn(thrown)) return;
      this.#list.replaceChildren(element('li', { class: 'bad' }, failureOf(thrown).words));
    }
  }
}
