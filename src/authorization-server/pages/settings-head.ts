// The head of the settings pages: who is signed in, and the pages side by side.

import { settingsPaths } from '../paths.ts';
import { type Html, html } from './html.ts';
import { applicationsTitle, connectionsTitle, formToken } from './page-layout.ts';

export interface SettingsHead {
  readonly title: typeof applicationsTitle | typeof connectionsTitle;
  readonly account: { readonly name: string };
  /** The CSRF token of the form that signs out. */
  readonly token: string;
}

export function settingsHead({ title, account, token }: SettingsHead): Html {
  return html`<div class="head"><h1>${title}</h1>
<form method="post" action="${settingsPaths.signOut}">${formToken(token)}
<span class="quiet"><bdi>${account.name}</bdi> · <a href="${settingsPaths.password}">Change password</a></span>
<button class="small" type="submit">Sign out</button></form></div>
<nav class="tabs" aria-label="Settings">${pages.map(
    ([name, path, text]) =>
      html`<a href="${path}"${name === title && html` aria-current="page"`}>${text}</a>`,
  )}</nav>`;
}

const pages = [
  [applicationsTitle, settingsPaths.applications, 'Registered'],
  [connectionsTitle, settingsPaths.connections, 'Connected'],
] as const;
