// What a page says of itself: whether it is up to date, and what went wrong.

import { byId, shownText } from './elements.js';

/** Says whether this page is up to date. @param {'live' | 'paused' | 'lost'} state */
export function showConnection(state) {
  const words = { live: 'Live', paused: 'Paused', lost: 'No connection' };
  const place = byId('connection', HTMLElement);
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.textContent = words[state];
}

/** An error that the reader should know of; undefined takes it away. @param {string} [message] */
export function showProblem(message) {
  const place = byId('problem', HTMLElement);
  const words = shownText(message ?? '');
  if (place.textContent === words) return;
  place.textContent = words;
  place.hidden = message === undefined;
}
