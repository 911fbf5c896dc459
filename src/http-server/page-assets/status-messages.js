// What a page says of itself: whether it is up to date, and what went wrong.

import { byId, shownText } from './elements.js';

const wordsOfStates = {
  live: 'Live',
  connected: 'Connected',
  paused: 'Paused',
  lost: 'No connection',
  unknown: '',
};

/**
 * Says whether this page is up to date. `connected`: the service answers, and the page looks for no
 * news; `unknown`: nothing is said.
 * @param {keyof typeof wordsOfStates} state
 */
export function showConnection(state) {
  const place = byId('connection', HTMLElement);
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.textContent = wordsOfStates[state];
}

/** An error that the reader should know of; undefined takes it away. @param {string} [message] */
export function showProblem(message) {
  const place = byId('problem', HTMLElement);
  const words = shownText(message ?? '');
  if (place.textContent === words) return;
  place.textContent = words;
  place.hidden = message === undefined;
}
