// The OAuth consent page.

import { isLoopbackName } from '../../network/loopback.ts';
import { type Html, html } from './html.ts';
import { formToken, type Page } from './page-layout.ts';
import { permissionList } from './permission-list.ts';

export interface ConsentPage {
  readonly action: string;
  readonly token: string;
  readonly client: {
    readonly name: string;
    readonly homepage: string | undefined;
    /** A program on the user's computer, whose name cannot be verified. */
    readonly isDesktop: boolean;
    /** The platform's page: it does what the person does there. */
    readonly isOwnPage: boolean;
    /** Host of its client metadata document; undefined for a registered client. */
    readonly documentHost: string | undefined;
  };
  /** Where the browser is sent afterwards. */
  readonly redirectUri: string;
  readonly account: { readonly name: string; readonly email: string };
  /** Requested scopes; at least one. */
  readonly scopes: readonly string[];
  /** At least one. */
  readonly workspaces: readonly string[];
  /** The MCP servers for which tokens are requested. */
  readonly resources: readonly string[];
  /** URL for signing in with another account. */
  readonly otherAccount: string;
}

export function consentPage(page: ConsentPage): Page {
  const { client, account } = page;
  if (client.isOwnPage) return workspacePage(page);
  return {
    title: `Allow ${client.name}?`,
    body: html`<div class="card">
<h1><bdi>${client.name}</bdi> asks for access</h1>
<p class="quiet">You are signed in as <strong><bdi>${account.name}</bdi></strong> (<bdi>${account.email}</bdi>).
<a href="${page.otherAccount}">Not you?</a></p>
${warningOf(page)}
<dl class="facts">
${client.homepage !== undefined && html`<dt>Homepage</dt><dd><bdi>${client.homepage}</bdi></dd>`}
<dt>Goes back to</dt><dd><bdi>${placeOf(page.redirectUri)}</bdi></dd>
${page.resources.length > 0 && html`<dt>Used at</dt><dd><bdi>${page.resources.join(', ')}</bdi></dd>`}
</dl>
<h2>It will be able to</h2>
${permissionList(page.scopes)}
<form method="post" action="${page.action}">
${formToken(page.token)}
${workspaceChoice(page.workspaces)}
<p class="quiet">It keeps this access until it signs out, or is not used for 30 days.</p>
<div class="actions">
<button type="submit" name="decision" value="deny" formnovalidate>Deny</button>
<button class="main" type="submit" name="decision" value="allow">Allow</button>
</div>
</form>
</div>`,
  };
}

/** What the page may do is nothing to decide, in which workspace is. */
function workspacePage({ account, ...page }: ConsentPage): Page {
  return {
    title: 'Open Fovea',
    body: html`<div class="card">
<h1>Open Fovea</h1>
<p class="quiet">You are signed in as <strong><bdi>${account.name}</bdi></strong> (<bdi>${account.email}</bdi>).
<a href="${page.otherAccount}">Not you?</a></p>
<form method="post" action="${page.action}">
${formToken(page.token)}
${workspaceChoice(page.workspaces)}
<div class="actions">
<button type="submit" name="decision" value="deny" formnovalidate>Cancel</button>
<button class="main" type="submit" name="decision" value="allow">Open</button>
</div>
</form>
</div>`,
  };
}

/** The host of a URL, or "this computer" for loopback. */
function placeOf(redirectUri: string): string {
  const { hostname = '', host = '' } = URL.parse(redirectUri) ?? {};
  return isLoopbackName(hostname) ? `a program on this computer (${host})` : host;
}

function warningOf({ client }: ConsentPage): Html | undefined {
  if (client.documentHost !== undefined) {
    return html`<div class="notice"><p>This application describes itself. Only its address is certain: <strong><bdi>${client.documentHost}</bdi></strong>. Allow it if you trust that address and have just started this sign-in yourself.</p></div>`;
  }
  if (!client.isDesktop) return undefined;
  return html`<div class="notice"><p>This is a program on your own computer. Allow it only if you have just started this sign-in yourself.</p></div>`;
}

function workspaceChoice(workspaces: readonly string[]): Html {
  const [only, ...others] = workspaces;
  if (only !== undefined && others.length === 0) {
    return html`<p>In the workspace <strong><bdi>${only}</bdi></strong>.</p>
<input type="hidden" name="workspace" value="${only}">`;
  }
  return html`<fieldset><legend>In which workspace?</legend>${workspaces.map(
    (workspace) =>
      html`<label class="choice"><input type="radio" name="workspace" value="${workspace}" required><bdi>${workspace}</bdi></label>`,
  )}</fieldset>`;
}
