// Listens to the keys of a view, as long as it is shown.

import { holdKeys } from './held-keys.js';
import { service } from './labelling-service.js';

/**
 * `down`: false where the key means nothing. Keys that are typed into a field, and those behind a
 * dialog, are not heard.
 * @param {HTMLElement} view
 * @param {{ down: (event: KeyboardEvent) => boolean, up?: (key: string) => void }} on
 */
export function listenToKeys(view, { down, up }) {
  const stop = new AbortController();
  const { signal } = stop;
  let wasShown = false;
  /** @type {(act: (event: KeyboardEvent) => void) => (event: KeyboardEvent) => void} */
  const whileShown = (act) => (event) => {
    wasShown ||= view.isConnected;
    if (view.isConnected) act(event);
    // One that is not shown yet may wait for the end of a drag.
    else if (wasShown) stop.abort();
  };
  document.addEventListener(
    'keydown',
    whileShown((event) => {
      const { target } = event;
      const isTyped = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
      if (isTyped || document.querySelector('dialog[open]') || !down(event)) return;
      event.preventDefault();
    }),
    { signal },
  );
  document.addEventListener(
    'keyup',
    whileShown(({ key }) => up?.(key)),
    { signal },
  );
}

/** What is typed until that view is there is meant for it. @param {string | undefined} address */
export function goTo(address) {
  if (address !== undefined && service().goTo(address)) holdKeys();
}
