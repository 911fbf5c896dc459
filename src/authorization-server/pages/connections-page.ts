// The settings page with the applications to which a person gave access.

import { isoTime } from '../../clock.ts';
import { limits } from '../../limits.ts';
import { isLoopbackName } from '../../network/loopback.ts';
import { settingsPaths } from '../paths.ts';
import type { ClientProof, Connection, ConnectionPlace } from '../store/connection-store.ts';
import { type Html, html } from './html.ts';
import { connectionsTitle, formToken, type Page, problemBox } from './page-layout.ts';
import { permissionList } from './permission-list.ts';
import { settingsHead } from './settings-head.ts';

export interface ConnectionsPage {
  readonly account: { readonly name: string };
  /** Those of the account now. */
  readonly workspaces: readonly string[];
  /** Those of this page, the newest first. */
  readonly connections: readonly Connection[];
  /** Where the page of older ones begins; undefined: there are none. */
  readonly older: ConnectionPlace | undefined;
  /** That of the platform's page in the browser that asks; undefined: it is signed in to none. */
  readonly ofThisBrowser: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether there are newer ones than those of this page. */
  readonly hasNewer: boolean;
  /** The CSRF token of a form; each form has its own. */
  token(action: 'sign-out' | `disconnect ${string}` | `disconnect-all ${string}`): string;
  readonly problem?: string;
  readonly notice?: string;
}

export function connectionsPage(page: ConnectionsPage): Page {
  const { account, token, problem, notice } = page;
  return {
    title: connectionsTitle,
    isWide: true,
    body: html`${settingsHead({ title: connectionsTitle, account, token: token('sign-out') })}
<p class="quiet">Programs that you allowed to act for you. Once one is disconnected its calls are refused; an MCP server notices it within five seconds.</p>
${notice !== undefined && html`<div class="notice done" role="status"><p>${notice}</p></div>`}
${problemBox(problem)}
<section class="card" aria-labelledby="connected"><h2 id="connected">Connected</h2>
${listOf(page)}
${turning(page)}
</section>`,
  };
}

function listOf(page: ConnectionsPage): Html {
  const { connections, hasNewer } = page;
  if (connections.length === 0) {
    return hasNewer
      ? html`<p class="quiet">There are no older ones.</p>`
      : html`<p class="quiet">There is none. One is here once you have allowed it on the page to which it sends you.</p>`;
  }
  const groups = [...Map.groupBy(connections, ({ clientId }) => clientId).values()];
  return html`<ul class="applications">${groups.map((group) => groupOf(page, group))}</ul>`;
}

/** The connections of one client, which has several where it is used in several places. */
function groupOf(page: ConnectionsPage, group: readonly Connection[]): Html | undefined {
  const [newest] = group;
  if (newest === undefined) return undefined;
  const name = nameOf(newest);
  const head = html`<h3><bdi>${name}</bdi></h3>`;
  if (group.length === 1) return html`<li>${head}${entry(page, newest)}</li>`;
  return html`<li>${head}
<p class="quiet">${group.length} connections, each allowed on its own.</p>
<ul class="applications">${group.map((each) => html`<li>${entry(page, each)}</li>`)}</ul>
<div class="actions">${form(page, 'disconnect-all', newest.clientId, 'Disconnect all', `Disconnect all of ${name}`)}</div></li>`;
}

function entry(page: ConnectionsPage, connection: Connection): Html {
  const { id, clientId, consent, workspace, granted, used } = connection;
  const isHere = id === page.ofThisBrowser;
  return html`<dl class="facts">
${isHere && html`<dt>Where</dt><dd><strong>This browser</strong></dd>`}
${
  consent !== undefined &&
  html`<dt>Who it is</dt><dd>${proofs[consent.proof]}${consent.proof === 'document' && html` <bdi>${hostOf(clientId)}</bdi>`}</dd>
${consent.proof !== 'page' && html`<dt>Goes back to</dt><dd><bdi>${placeOf(consent.redirectHost)}</bdi></dd>`}
${consent.resources.length > 0 && html`<dt>Used at</dt><dd><bdi>${consent.resources.join(', ')}</bdi></dd>`}`
}
${workspace !== undefined && html`<dt>Workspace</dt><dd><bdi>${workspace}</bdi></dd>`}
<dt>Allowed</dt><dd>${minuteOf(granted)}</dd>
${used !== undefined && html`<dt>Last used</dt><dd>${dayOf(used)}</dd>`}
<dt>Access</dt><dd>${accessOf(connection, page)}</dd>
</dl>
<details><summary>What it may do</summary>${
    consent === undefined
      ? html`<p class="quiet">It was allowed before Fovea noted that.</p>`
      : permissionList(consent.scopes)
  }</details>
<div class="actions">
${form(page, 'disconnect', id, 'Disconnect', `Disconnect ${nameOf(connection)}, allowed ${minuteOf(granted)}`)}
</div>`;
}

function form(
  { token }: ConnectionsPage,
  action: 'disconnect' | 'disconnect-all',
  id: string,
  text: string,
  label: string,
): Html {
  return html`<form method="post" action="${settingsPaths.connections}">${formToken(token(`${action} ${id}`))}
<input type="hidden" name="action" value="${action}"><input type="hidden" name="id" value="${id}">
<button class="small" type="submit" aria-label="${label}">${text}</button></form>`;
}

function turning({ older, hasNewer }: ConnectionsPage): Html | undefined {
  if (older === undefined && !hasNewer) return undefined;
  return html`<p>${hasNewer && html`<a href="${settingsPaths.connections}">Newest</a> `}${
    older !== undefined &&
    html`<a href="${settingsPaths.connections}?behind=${older.expires}-${older.id}">Older ones</a>`
  }</p>`;
}

function nameOf({ clientId, consent, registeredName }: Connection): string {
  return consent?.name ?? registeredName ?? hostOf(clientId);
}

/** Of the address of a metadata document; the id of other clients. */
function hostOf(clientId: string): string {
  return URL.parse(clientId)?.host ?? clientId;
}

const proofs: Readonly<Record<ClientProof, string>> = {
  secret: 'It proves who it is, by a client secret.',
  document: 'It describes itself. Only its address is certain:',
  program: 'A program on a computer: anybody can use its name.',
  page: 'The page of this platform, in a browser in which you signed in.',
  none: 'It does not prove who it is. Only where it goes back to is certain.',
};

function placeOf(redirectHost: string): string {
  const { hostname = '' } = URL.parse(`http://${redirectHost}`) ?? {};
  return isLoopbackName(hostname)
    ? `the computer on which you allowed it (${redirectHost})`
    : redirectHost;
}

function accessOf(connection: Connection, { workspaces, now }: ConnectionsPage): string {
  const { clientId, registeredName, workspace, consent, granted, used } = connection;
  const { codeSeconds, refreshSeconds } = limits.oauthLifetimes;
  if (clientId.startsWith('fva_') && registeredName === undefined) {
    return 'None: the application was removed.';
  }
  if (workspace !== undefined && !workspaces.includes(workspace)) {
    return 'None: you are no longer in this workspace.';
  }
  if (consent?.proof === 'page') return accessOfPage(used ?? granted, now);
  // A release that did not note uses noted no consent either.
  const isUnfinished = consent !== undefined && used === undefined;
  if (isUnfinished && granted < now - codeSeconds * 1_000) {
    return 'None: it did not finish its sign-in.';
  }
  return used !== undefined && used < now - refreshSeconds * 1_000
    ? 'None now: it was not used for 30 days.'
    : 'Until it signs out, or is not used for 30 days.';
}

/** It has no refresh token: a browser that is still signed in gets the next access token. */
function accessOfPage(used: number, now: number): string {
  return used < now - limits.oauthLifetimes.mcpAccessSeconds * 1_000
    ? 'None now. While that browser stays signed in, the page opens there without the password.'
    : 'For a day from its last use, or until it signs out.';
}

/** Sign-ins of one program are told apart by it. */
function minuteOf(milliseconds: number): string {
  return `${isoTime(milliseconds).slice(0, 16).replace('T', ' ')} UTC`;
}

function dayOf(milliseconds: number): string {
  return isoTime(milliseconds).slice(0, 10);
}
