// The settings page of connections: a person sees which applications have access, and ends it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidArgument } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import { pageRoute, seeOther, sendPage } from './page-response.ts';
import { type ConnectionsPage, connectionsPage } from './pages/connections-page.ts';
import { settingsPaths, settingsSignIn } from './paths.ts';
import {
  browserCookie,
  type CurrentSession,
  currentSession,
  type SettingsDependencies,
  type SignedInForm,
  tokenMaker,
  withSignedInForm,
} from './settings-session.ts';
import type { ConnectionPlace, ConnectionStore } from './store/connection-store.ts';

export interface ConnectionPageDependencies extends SettingsDependencies {
  readonly connections: ConnectionStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The page at `/settings/connections`. */
export function connectionPages(dependencies: ConnectionPageDependencies): readonly Route[] {
  const { log } = dependencies;
  return [
    pageRoute('GET', settingsPaths.connections, log, async (request, response) => {
      const session = await currentSession(dependencies, request);
      if (session === undefined) {
        return seeOther(response, settingsSignIn(settingsPaths.connections));
      }
      await show(dependencies, request, response, session, { behind: placeIn(request) });
    }),
    pageRoute('POST', settingsPaths.connections, log, (request, response) =>
      withSignedInForm(dependencies, request, response, (sent) =>
        disconnect(dependencies, request, response, sent),
      ),
    ),
  ];
}

interface Shown extends Pick<ConnectionsPage, 'problem' | 'notice'> {
  readonly behind?: ConnectionPlace | undefined;
  readonly status?: number;
}

async function show(
  dependencies: ConnectionPageDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  { account, secret }: CurrentSession,
  { behind, status = 200, ...said }: Shown,
): Promise<void> {
  const { users, platformPage, browsers } = dependencies;
  const browser = browserCookie(dependencies, request);
  const found = await dependencies.connections.list(account.id, behind);
  const connections = found.slice(0, limits.connectionsPerPage);
  const page = connectionsPage({
    account,
    workspaces: users.workspacesOf(account),
    connections,
    ofThisBrowser: browser && (await browsers.connectionOnPage(browser)),
    now: dependencies.now(),
    older: found.length > connections.length ? connections.at(-1) : undefined,
    hasNewer: behind !== undefined,
    token: await tokenMaker(dependencies, secret),
    ...said,
  });
  sendPage(response, status, { ...page, platformPage });
}

async function disconnect(
  dependencies: ConnectionPageDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  { form, session, useToken }: SignedInForm,
): Promise<void> {
  const { account } = session;
  const { connections, log } = dependencies;
  const [action, id] = [form.text('action'), form.text('id')];
  if (action !== 'disconnect' && action !== 'disconnect-all') {
    throw invalidArgument('action', 'must be "disconnect" or "disconnect-all"');
  }
  const isAll = action === 'disconnect-all';
  const isThere = isAll
    ? await connections.hasClient(account.id, id)
    : await connections.has(account.id, id);
  // The same for what is not there and what is another person's.
  if (!isThere) {
    const problem = 'You have no such connection, or it was disconnected already.';
    return show(dependencies, request, response, session, { problem, status: 404 });
  }
  await useToken(`${action} ${id}`);
  await (isAll
    ? connections.disconnectAll(account.id, id)
    : connections.disconnect(account.id, id));
  log.info('A person disconnected an application.', { account: account.id });
  await show(dependencies, request, response, session, {
    notice: 'It is disconnected: its access has ended.',
  });
}

/** Throws `invalid_input` for a place that no page leads to. */
function placeIn({ url = '' }: IncomingMessage): ConnectionPlace | undefined {
  const behind = new URLSearchParams(url.split('?')[1]).get('behind');
  if (behind === null) return undefined;
  const [, expires, id] = /^(\d{1,12})-([\w-]{43})$/.exec(behind) ?? [];
  if (expires === undefined || id === undefined) {
    throw invalidArgument('behind', 'must come from a link of this page');
  }
  return { expires: Number(expires), id };
}
