// The page beside annotation_review and images_get: the editor of the platform's own page, which reads
// and saves by calls of tools.

import { ApiError, failureOf } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { untilReleased } from '../../../platform/platform-page/labelling/finished-drag.js';
import {
  forgetKeys,
  holdKeys,
  releaseKeys,
} from '../../../platform/platform-page/labelling/held-keys.js';
import {
  keptLabelsNotice,
  showKeptLabels,
} from '../../../platform/platform-page/labelling/kept-labels-notice.js';
import { useService } from '../../../platform/platform-page/labelling/labelling-service.js';
import { openImage } from '../../../platform/platform-page/labelling/open-image.js';
import { button } from '../../../platform/platform-page/labelling/panel-parts.js';
import { isPassing, unsaved, untilRetry } from '../../../platform/platform-page/labelling/retry.js';
import { calledLabelling } from './called-labelling.js';
import { asRecord, connect } from './host.js';
import { failure, fill, pictures, statusLine, summaryOf } from './result-elements.js';

/** @typedef {import('./types.ts').ToolResult} ToolResult */
/** @typedef {import('./types.ts').Host} Host */
/** @typedef {import('../../../platform/platform-page/types.ts').View} View */

/** So long a host waits for what is not saved yet. */
const endMsMax = 5_000;

connect('fovea-labelling', { show, fail: failure, end });

/**
 * The images of a job are opened at once; of a single image the person says so.
 * @param {ToolResult} result
 * @param {Host} host
 */
function show(result, host) {
  const { address } = asRecord(asRecord(result._meta)['fovea/page']);
  const { callTool } = host;
  const isOpen = typeof address === 'string' && callTool !== undefined;
  const shown = [summaryOf(result), ...pictures(result, 'The image, in small.')];
  if (!isOpen) return fill(shown);
  const open = () => {
    opened = { host, page: new LabellingPage(host, callTool) };
    opened.page.open(address);
  };
  if (new URLSearchParams(address.split('?')[1]).has('job')) return open();
  fill([...shown, button('Edit labels', open)]);
}

/** The page that is open, and its host. @type {{ page: LabellingPage, host: Host } | undefined} */
let opened;

/**
 * Waits for what is not saved. Nobody sees the page any more, so the model is told: first, since a
 * host may not wait so long.
 */
async function end() {
  if (unsaved.size === 0) return;
  /** @param {string} words */
  const tell = (words) => opened?.host.tellModel?.(words).catch(() => undefined);
  void tell(
    `The labelling page was closed at ${opened?.page.address} before all was saved: the last ` +
      'labels or decisions there are lost. Tell the person; images_get shows what is stored.',
  );
  const until = performance.now() + endMsMax;
  while (unsaved.size > 0 && performance.now() < until) {
    await new Promise((done) => setTimeout(done, 50));
  }
  if (unsaved.size === 0) await tell('The labelling page was closed, and all is saved.');
}

class LabellingPage {
  #title = element('h2', { tabindex: -1 });
  #problem = element('p', { class: 'notice bad', role: 'alert', hidden: true });
  #image = element('div', { class: 'stack editor' });
  #asked = '';
  #shown = '';
  /** @type {Pick<View, 'isHeld'> | undefined} */
  #view;
  /** Counts what was asked for: an answer for something older is thrown away. */
  #wanted = 0;

  /** @param {Host} host @param {NonNullable<Host['callTool']>} callTool */
  constructor({ changeMode }, callTool) {
    useService(calledLabelling(callTool, (address) => this.open(address)));
    let isFull = false;
    const full =
      changeMode &&
      button('Full screen', () => {
        isFull = !isFull;
        void changeMode(isFull ? 'fullscreen' : 'inline');
      });
    const head = element('div', { class: 'row' }, this.#title, full);
    fill([head, this.#problem, keptLabelsNotice(), this.#image]);
    document.addEventListener('click', (event) => this.#follow(event));
  }

  /** Of the image that is shown: what is drawn is of that one. */
  get address() {
    return this.#shown;
  }

  /** As `goTo` of a labelling service. @param {string} address */
  open(address) {
    if (address === this.#asked) return false;
    this.#asked = address;
    this.#wanted += 1;
    void this.#load(address, this.#wanted);
    return true;
  }

  /** @param {MouseEvent} event */
  #follow(event) {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (link === null) return;
    event.preventDefault();
    const address = link.getAttribute('href') ?? '';
    if (placeOf(address) !== undefined) this.open(address);
    else this.#say('That is on the page of the platform: fovea open shows it.');
  }

  /** @param {string} address @param {number} turn */
  async #load(address, turn) {
    const { slug = '', id = '', query = new URLSearchParams() } = placeOf(address) ?? {};
    if (this.#image.childElementCount === 0) {
      this.#image.replaceChildren(statusLine('The image is being read.'));
    }
    while (turn === this.#wanted) {
      if (this.#view !== undefined) holdKeys();
      try {
        const opening = openImage(slug, id, query);
        const view = await opening.finally(() => untilReleased(this.#view));
        if (turn !== this.#wanted) return;
        this.#shown = address;
        this.#view = view;
        this.#say('');
        this.#title.textContent = view.title;
        this.#image.replaceChildren(...view.parts);
        showKeptLabels();
        if (document.activeElement === document.body) this.#title.focus({ preventScroll: true });
        return releaseKeys();
      } catch (thrown) {
        const { status, words } = failureOf(thrown);
        if (turn !== this.#wanted) return;
        forgetKeys();
        if (!(thrown instanceof ApiError && isPassing(status))) {
          this.#asked = this.#shown;
          return this.#say(words);
        }
        this.#say(`The image that you asked for cannot be shown yet: ${words}`);
        await untilRetry();
      }
    }
  }

  /** @param {string} words empty: nothing is wrong */
  #say(words) {
    this.#problem.hidden = words === '';
    this.#problem.textContent = words;
  }
}

/** Which image an address means; undefined: it means something else. @param {string} address */
function placeOf(address) {
  const [place = '', query = ''] = address.replace(/^#/, '').split('?');
  const [project, slug = '', part, id = ''] = place.split('/').map(decodeURIComponent);
  if (project !== 'project' || part !== 'annotate') return undefined;
  return { slug, id, query: new URLSearchParams(query) };
}
