// The links to the views of a workspace: which one is shown, and on narrow screens a button that
// opens them.

import { byId } from '../../http-server/page-assets/elements.js';

export function startNavigation() {
  const button = byId('menu', HTMLElement);
  button.addEventListener('click', () => setOpen(button.getAttribute('aria-expanded') !== 'true'));
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || button.getAttribute('aria-expanded') !== 'true') return;
    closeMenu();
    button.focus();
  });
}

export function closeMenu() {
  setOpen(false);
}

/** @param {boolean} isOpen */
function setOpen(isOpen) {
  byId('menu', HTMLElement).setAttribute('aria-expanded', String(isOpen));
  byId('views', HTMLElement).classList.toggle('is-open', isOpen);
}

/** Says which view the address names: those of a project are among the projects. */
export function markPlace() {
  const [name = ''] = location.hash.slice(1).split(/[/?]/);
  const links = [...document.querySelectorAll('#views a')];
  const isOf = (/** @type {Element} */ link) =>
    link.getAttribute('data-of')?.split(' ').includes(name) ?? false;
  const here = links.find(isOf) ?? (name === '' ? links[0] : undefined);
  for (const link of links) {
    if (link === here) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}
