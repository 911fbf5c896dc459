// The settings page with the registered applications and the registration form.

import { isoTime } from '../../clock.ts';
import type { Problem } from '../../errors.ts';
import { clientAuthentications, visibilities } from '../application-validation.ts';
import { settingsPaths } from '../paths.ts';
import type { Application } from '../store/account-store.ts';
import { type Html, html } from './html.ts';
import { applicationsTitle, formToken, type Page, problemBox, textField } from './page-layout.ts';
import { groups } from './scope-descriptions.ts';
import { settingsHead } from './settings-head.ts';

/** The submitted fields, to show them again after a mistake. */
export interface TypedApplication {
  readonly name: string;
  readonly homepage: string;
  /** One on each line. */
  readonly redirectUris: string;
  readonly authentication: string;
  readonly visibility: string;
  readonly workspace: string;
  readonly isDesktop: boolean;
  readonly isMcp: boolean;
  /** Empty: all scopes. */
  readonly scopes: readonly string[];
}

export interface ApplicationsPage {
  readonly account: { readonly name: string };
  readonly workspaces: readonly string[];
  readonly applications: readonly Application[];
  /** The CSRF token of a form; each form has its own. */
  token(action: 'add' | 'sign-out' | `remove ${string}`): string;
  readonly typed?: TypedApplication;
  readonly problem?: { readonly message: string; readonly problems: readonly Problem[] };
  readonly notice?: string;
}

export function applicationsPage(page: ApplicationsPage): Page {
  return {
    title: applicationsTitle,
    isWide: true,
    // Errors and notices come first, so that they are seen.
    body: html`${settingsHead({ title: applicationsTitle, account: page.account, token: page.token('sign-out') })}
<p class="quiet">Programs that may ask people to sign in, and to act for them within their scopes.</p>
${page.notice !== undefined && html`<div class="notice done" role="status"><p>${page.notice}</p></div>`}
${page.problem === undefined ? [registered(page), newOne(page)] : [newOne(page), registered(page)]}`,
  };
}

function registered(page: ApplicationsPage): Html {
  return html`<section class="card" aria-labelledby="registered"><h2 id="registered">Registered</h2>
${page.applications.length === 0 ? html`<p class="quiet">There is none yet.</p>` : listOf(page)}
</section>`;
}

function newOne(page: ApplicationsPage): Html {
  return html`<section class="card" aria-labelledby="new"><h2 id="new">Register a new one</h2>
${newForm(page)}
</section>`;
}

/** The only page that shows the client secret. */
export function registeredPage(
  { id, name, authentication }: Application,
  secret: string | undefined,
): Page {
  return {
    title: 'Registered',
    isWide: true,
    body: html`<div class="card"><h1><bdi>${name}</bdi> is registered</h1>
<dl class="facts">
<dt>Client ID</dt><dd><code>${id}</code></dd>
${secret !== undefined && html`<dt>Client secret</dt><dd><code>${secret}</code></dd>`}
<dt>Authentication</dt><dd><code>${authentication}</code></dd>
</dl>
${
  secret !== undefined &&
  html`<div class="notice"><p><strong>Copy the secret now.</strong> It is shown this once and kept as a hash: nobody can show it again.</p></div>`
}
<p><a class="button main" href="${settingsPaths.applications}">${secret === undefined ? 'Go on' : 'I have copied it'}</a></p>
</div>`,
  };
}

function listOf({ applications, token }: ApplicationsPage): Html {
  return html`<ul class="applications">${applications.map(
    (application) => html`<li><h3><bdi>${application.name}</bdi></h3>
<dl class="facts">
<dt>Client ID</dt><dd><code>${application.id}</code></dd>
${application.homepage !== undefined && html`<dt>Homepage</dt><dd><bdi>${application.homepage}</bdi></dd>`}
${
  application.redirectUris.length > 0 &&
  html`<dt>Redirect URIs</dt><dd>${application.redirectUris.map((uri) => html`<code>${uri}</code><br>`)}</dd>`
}
<dt>Kind</dt><dd>${kindOf(application)}</dd>
<dt>Workspace</dt><dd><bdi>${application.workspace}</bdi></dd>
<dt>Registered</dt><dd>${isoTime(application.created).slice(0, 10)}</dd>
</dl>
<details><summary>Allowed scopes (${application.scopes.length})</summary><p class="quiet">${application.scopes.join(', ')}</p></details>
<details><summary>Remove</summary>
<p class="quiet">Its sign-ins end at once, and its client ID never comes back.</p>
<form method="post" action="${settingsPaths.applications}">${formToken(token(`remove ${application.id}`))}
<input type="hidden" name="action" value="remove"><input type="hidden" name="id" value="${application.id}">
<button class="small" type="submit" aria-label="Remove ${application.name}">Remove it</button></form>
</details></li>`,
  )}</ul>`;
}

function kindOf(application: Application): string {
  return [
    application.visibility,
    application.authentication === 'none' ? 'public client' : application.authentication,
    application.isDesktop && 'desktop',
    application.isMcp && 'MCP client',
    application.resource !== undefined && `MCP server ${application.resource}`,
  ]
    .filter(Boolean)
    .join(', ');
}

const untouched: TypedApplication = {
  name: '',
  homepage: '',
  redirectUris: '',
  workspace: '',
  authentication: 'client_secret_post',
  visibility: 'Internal',
  isDesktop: false,
  isMcp: false,
  scopes: [],
};

function newForm({ token, typed = untouched, problem, workspaces }: ApplicationsPage): Html {
  const details = problem?.problems.map(({ path, message }) => `${labelOf(path)} ${message}.`);
  return html`${problemBox(problem?.message, details)}
<form method="post" action="${settingsPaths.applications}">${formToken(token('add'))}
<input type="hidden" name="action" value="add">
<div class="columns"><div>
${textField({ name: 'name', label: 'Name', value: typed.name, isRequired: true, hint: 'People see it when they are asked.' })}
${textField({ name: 'homepage', label: 'Homepage', value: typed.homepage, hint: 'Shown when people are asked. May stay empty.' })}
<label for="redirect_uris">Redirect URIs</label>
<textarea id="redirect_uris" name="redirect_uris" rows="3" spellcheck="false" aria-describedby="redirect_uris-hint">${typed.redirectUris}</textarea>
<small id="redirect_uris-hint">One on each line, exactly as requests give them. https, or http on 127.0.0.1, [::1] and localhost.</small>
</div><div>
${select('auth', 'Token endpoint authentication', authentications, typed.authentication)}
${select(
  'visibility',
  'Visibility',
  visibilities.map((each) => [each, visibilityWords[each]]),
  typed.visibility,
)}
${select(
  'workspace',
  'Workspace',
  workspaces.map((each) => [each, each]),
  typed.workspace,
)}
</div></div>
${checkbox('desktop', 'yes', 'Desktop application: any port of its loopback redirect URIs', typed.isDesktop)}
${checkbox('mcp', 'yes', 'MCP client: its access tokens live for 24 hours instead of one', typed.isMcp)}
<details${typed.scopes.length > 0 && html` open`}><summary>Allowed scopes: all, unless you choose some</summary>
${groups.map(
  ({ name, scopes }) =>
    html`<fieldset><legend>${name}</legend><div class="choices">${scopes.map((scope) =>
      checkbox('scope', scope, scope, typed.scopes.includes(scope)),
    )}</div></fieldset>`,
)}</details>
<div class="actions"><button class="main" type="submit">Register</button></div>
</form>`;
}

/** The form's label of an argument of `validateRegistration`. */
function labelOf(path: string): string {
  const [, index] = /^redirect_uris\[(\d+)\]$/.exec(path) ?? [];
  return index === undefined ? (labels[path] ?? path) : `Redirect URI ${Number(index) + 1}`;
}

const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  homepage: 'Homepage',
  redirect_uris: 'Redirect URIs:',
  auth: 'Token endpoint authentication',
  visibility: 'Visibility',
  workspace: 'Workspace',
  resource: 'MCP server',
  scopes: 'Allowed scopes:',
};

const visibilityWords = {
  Internal: 'Internal: for members of the workspace',
  Unlisted: 'Unlisted: for whoever has its address',
  Public: 'Public: for everybody',
} as const;

const authentications = clientAuthentications.map((each): readonly [string, string] => [
  each,
  each === 'none' ? 'none: a program that cannot keep a secret' : each,
]);

function select(
  name: string,
  label: string,
  choices: readonly (readonly [string, string])[],
  chosen: string,
): Html {
  return html`<label for="${name}">${label}</label>
<select id="${name}" name="${name}">${choices.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select>`;
}

function checkbox(name: string, value: string, label: string, isChecked: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}>${label}</label>`;
}
