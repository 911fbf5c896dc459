// What scopes allow, in words: the same before a person allows it, and afterwards.

import { type Html, html } from './html.ts';
import { permissionGroups } from './scope-descriptions.ts';

export function permissionList(scopes: readonly string[]): Html {
  return html`<ul class="permissions">${permissionGroups(scopes).map(
    ({ name, permissions }) =>
      html`<li><h3>${name}</h3><ul>${permissions.map(
        ({ words, isStrong }) =>
          html`<li>${isStrong ? html`<span class="strong">${words}</span>` : words}</li>`,
      )}</ul></li>`,
  )}</ul>`;
}
