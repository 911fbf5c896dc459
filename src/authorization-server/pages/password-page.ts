// The settings page for changing the password.

import { limits } from '../../limits.ts';
import { settingsPaths } from '../paths.ts';
import { html } from './html.ts';
import { formToken, type Page, problemBox, textField } from './page-layout.ts';

export interface PasswordPage {
  readonly account: { readonly name: string; readonly email: string };
  readonly token: string;
  readonly problem?: string | undefined;
}

export function passwordPage({ account, token, problem }: PasswordPage): Page {
  return {
    title: 'Change password',
    body: html`<div class="card">
<h1>Change password</h1>
<p class="quiet">of <bdi>${account.name}</bdi>. Every browser must sign in again, but for this one at these pages. Programs stay signed in, unless you sign them out too.</p>
${problemBox(problem)}
<form method="post" action="${settingsPaths.password}">
${formToken(token)}
<input type="hidden" name="name" value="${account.email}" autocomplete="username">
${textField({
  name: 'password',
  label: 'Current password',
  verifyPassword: true,
  autocomplete: 'current-password',
  isRequired: true,
  hasFocus: true,
})}
${textField({
  name: 'new_password',
  label: 'New password',
  verifyPassword: true,
  autocomplete: 'new-password',
  isRequired: true,
  hint: `${limits.passwordCharactersMin} characters at least. A few random words are good.`,
})}
${textField({
  name: 'again',
  label: 'New password again',
  verifyPassword: true,
  autocomplete: 'new-password',
  isRequired: true,
})}
<label class="choice"><input type="checkbox" name="sign_out" value="yes">Also sign out all programs</label>
<div class="actions"><button class="main" type="submit">Change it</button></div>
</form>
<p><a href="${settingsPaths.applications}">Back to the applications</a></p>
</div>`,
  };
}

export function passwordChangedPage(): Page {
  return {
    title: 'Password changed',
    body: html`<div class="card" role="status">
<h1>Your password is changed</h1>
<p>Use the new one from now on.</p>
<p><a class="button main" href="${settingsPaths.applications}">Go on</a></p>
</div>`,
  };
}
