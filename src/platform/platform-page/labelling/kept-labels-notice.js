// Names the images whose labels are not saved and that nobody sees, wherever the person is.

import { element } from '../../../http-server/page-assets/elements.js';
import { discardLabels, forgottenLabels, labelsOfOthers, onKeptLabels } from './kept-labels.js';
import { service } from './labelling-service.js';
import { button } from './panel-parts.js';

/** As many are named at once. */
const namedMax = 5;

const list = element('ul', {});
const notice = element('div', { class: 'notice bad', role: 'alert', hidden: true }, list);
let said = '';

/** Where it stands; hidden where all is saved. */
export function keptLabelsNotice() {
  onKeptLabels(showKeptLabels);
  showKeptLabels();
  return notice;
}

/** To be called when another image is shown. */
export function showKeptLabels() {
  const all = forgottenLabels();
  const others = labelsOfOthers();
  const words = JSON.stringify([all, others]);
  notice.hidden = all.length + others.length === 0;
  // Read aloud only when it says something else.
  if (words === said) return;
  said = words;
  const left = all.length - namedMax;
  list.replaceChildren(
    ...all.slice(0, namedMax).map(rowOf),
    ...(left > 0 ? [element('li', {}, `and ${left} more`)] : []),
    ...others.map((one) => element('li', {}, wordsOfOthers(one))),
  );
}

/** @param {{ key: string, name: string, address: string, why: string }} kept */
function rowOf({ key, name, address, why }) {
  const discard = button('Discard mine', () => discardLabels(key));
  discard.setAttribute('aria-label', `Discard mine of ${name}`);
  const words = `Your labels of ${name} are kept here, and not saved${why && `: ${why}`} `;
  return element('li', {}, words, element('a', { href: address }, `Look at ${name}`), ' ', discard);
}

/** @param {ReturnType<typeof labelsOfOthers>[number]} others */
function wordsOfOthers({ owner: { who, workspace }, count }) {
  const person = service().personName?.(who) ?? 'another account';
  const whose = who === '' ? `a key of ${workspace}` : `${person} of ${workspace}`;
  const what = count === 1 ? 'Labels of 1 image' : `Labels of ${count} images`;
  return `${what} wait in this tab for ${whose}, and are not saved: who signs in so again finds them.`;
}
