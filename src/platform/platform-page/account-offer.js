// On the sign-in of the page: the way in for those who have an account, where there is one.

import { byId, element } from '../../http-server/page-assets/elements.js';
import { isAtHome, signInService, signInWithAccount } from './account-sign-in.js';

const place = byId('account-way', HTMLElement);

/** @type {() => Promise<void>} */
let enter = async () => {};

/** @param {() => Promise<void>} act what comes once this tab has the token of an account */
export function onAccount(act) {
  enter = act;
}

/** @param {Promise<unknown>} before who is not signed out yet would be signed in again */
export async function offerAccounts(before) {
  place.hidden = true;
  await before;
  const service = await signInService();
  if (service === undefined) return;
  place.hidden = false;
  if (!isAtHome(service)) return place.replaceChildren(elsewhere(service.issuer));
  const button = element('button', { type: 'button' }, 'Sign in with your account');
  button.addEventListener('click', async () => {
    button.disabled = true;
    if (await signInWithAccount(service)) await enter();
    button.disabled = false;
  });
  place.replaceChildren(button, element('p', { class: 'quiet' }, 'or'));
}

/** The service sends people back to the address that it knows. @param {string} issuer */
function elsewhere(issuer) {
  const link = element('a', { href: `${issuer}/${location.hash}` }, issuer);
  return element('p', {}, 'With an account you sign in at ', link, '.');
}
