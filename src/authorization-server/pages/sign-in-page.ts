// The sign-in page: for a client, or for the settings pages.

import { html } from './html.ts';
import { formToken, type Page, problemBox, textField } from './page-layout.ts';

export interface SignInPage {
  /** URL to which the form is sent. */
  readonly action: string;
  readonly token: string;
  /** Name of the requesting client; undefined: the settings pages. */
  readonly client?: string | undefined;
  /** Initial value of the name field. */
  readonly name?: string | undefined;
  /** What went wrong, or why the user must sign in again. */
  readonly problem?: string | undefined;
  /** False: no account exists yet. */
  readonly hasAccounts: boolean;
}

export function signInPage(page: SignInPage): Page {
  const { client, name, problem } = page;
  const heading =
    client === undefined
      ? html`<h1>Sign in</h1><p class="quiet">to see and change your password, who has access to your account, and your applications</p>`
      : html`<h1>Sign in</h1>
<p class="quiet">to go on to <strong><bdi>${client}</bdi></strong>. Your password stays here: no application sees it.</p>`;
  return {
    title: 'Sign in',
    body: html`<div class="card">
${heading}
${problemBox(problem)}
${!page.hasAccounts && noAccounts}
<form method="post" action="${page.action}">
${formToken(page.token)}
${textField({
  name: 'name',
  label: 'Name or email',
  value: name,
  autocomplete: 'username',
  isRequired: true,
  hasFocus: !name,
})}
${textField({
  name: 'password',
  label: 'Password',
  verifyPassword: true,
  autocomplete: 'current-password',
  isRequired: true,
  hasFocus: Boolean(name),
  isWrong: problem !== undefined,
})}
${client !== undefined && remember}
<div class="actions"><button class="main" type="submit">Sign in</button></div>
</form>
</div>`,
  };
}

const remember = html`<label class="choice"><input type="checkbox" name="remember" value="yes">Stay signed in when this browser is closed</label>`;

const noAccounts = html`<div class="notice"><p>There is no account yet. Whoever runs this service makes one on its computer:</p>
<pre><code>fovea account add "Ada Lovelace" --email ada@example.com</code></pre></div>`;
