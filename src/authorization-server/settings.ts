// The settings pages: whoever has an account registers, lists and removes applications there.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asFoveaError, invalidArgument } from '../errors.ts';
import { clientAddress } from '../http-server/client-address.ts';
import type { Route } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import { Secret } from '../secret.ts';
import { type Form, readForm } from './page-form.ts';
import { sendPage } from './page-headers.ts';
import { pageRoute, seeOther } from './page-route.ts';
import {
  type ApplicationsPage,
  applicationsPage,
  registeredPage,
  type TypedApplication,
} from './pages/applications-page.ts';
import { signInPage } from './pages/sign-in-page.ts';
import { checkPassword, type RefusedPassword } from './password-check.ts';
import { settingsPaths } from './paths.ts';
import { passwordSettings } from './settings-password.ts';
import {
  type CurrentSession,
  cookieName,
  cookieOf,
  currentSession,
  makeToken,
  readCookie,
  type SettingsParts,
  useToken,
  wrongForm,
} from './settings-session.ts';

/** The pages below `/settings`. */
export function settings(parts: SettingsParts): readonly Route[] {
  const { log } = parts;
  return [
    pageRoute('GET', settingsPaths.home, log, async (_request, response) =>
      seeOther(response, settingsPaths.applications),
    ),
    pageRoute('GET', settingsPaths.signIn, log, async (request, response) =>
      showSignIn(parts, request, response),
    ),
    pageRoute('POST', settingsPaths.signIn, log, (request, response) =>
      signIn(parts, request, response),
    ),
    pageRoute('POST', settingsPaths.signOut, log, (request, response) =>
      signOut(parts, request, response),
    ),
    pageRoute('GET', settingsPaths.applications, log, async (request, response) => {
      const session = currentSession(parts, request);
      if (session === undefined) seeOther(response, settingsPaths.signIn);
      else showApplications(parts, response, session);
    }),
    pageRoute('POST', settingsPaths.applications, log, (request, response) =>
      change(parts, request, response),
    ),
    ...passwordSettings(parts),
  ];
}

/** The form belongs to a cookie of its own: nobody signs another one's browser in. */
function showSignIn(
  parts: SettingsParts,
  request: IncomingMessage,
  response: ServerResponse,
  again?: RefusedPassword & { readonly name: string },
): void {
  const name = cookieName(parts, 'form');
  const known = readCookie(request, name);
  const secret = known ?? new Secret(randomBytes(32).toString('base64url'));
  const { accounts } = parts.people;
  const page = signInPage({
    action: settingsPaths.signIn,
    token: makeToken(parts, 'sign-in', secret),
    name: again?.name,
    problem: again?.problem,
    hasAccounts: !accounts.isEmpty(),
  });
  const cookie = { 'set-cookie': cookieOf(parts, name, secret, limits.settingsFormMs) };
  sendPage(response, again?.status ?? 200, page, { ...again?.headers, ...cookie });
}

async function signIn(
  parts: SettingsParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const owner = readCookie(request, cookieName(parts, 'form'));
  if (owner === undefined) throw wrongForm();
  const address = clientAddress(request);
  const found = await checkPassword(parts.people, form, address, () =>
    useToken(parts, form, 'sign-in', owner),
  );
  if ('problem' in found) {
    return showSignIn(parts, request, response, { ...found, name: form.text('name') });
  }
  const session = parts.people.pageSessions.begin(found.account.id);
  const name = cookieName(parts, 'session');
  const cookie = cookieOf(parts, name, session, limits.settingsSessionMs);
  seeOther(response, settingsPaths.applications, { 'set-cookie': cookie });
}

async function signOut(
  parts: SettingsParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const session = currentSession(parts, request);
  if (session !== undefined) {
    useToken(parts, form, 'sign-out', session.secret);
    parts.people.pageSessions.end(session.secret);
  }
  const gone = cookieOf(parts, cookieName(parts, 'session'), new Secret(''), 0);
  seeOther(response, settingsPaths.signIn, { 'set-cookie': gone });
}

function showApplications(
  parts: SettingsParts,
  response: ServerResponse,
  { account, secret }: CurrentSession,
  more: Pick<ApplicationsPage, 'typed' | 'problem' | 'notice'> = {},
  status = 200,
): void {
  const { people } = parts;
  const workspaces = people.workspacesOf(account);
  const page = applicationsPage({
    account,
    workspaces,
    applications: people.applications.list(workspaces),
    token: (action) => makeToken(parts, action, secret),
    ...more,
  });
  sendPage(response, status, page);
}

async function change(
  parts: SettingsParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const session = currentSession(parts, request);
  if (session === undefined) return seeOther(response, settingsPaths.signIn);
  if (form.text('action') === 'remove') {
    const id = form.text('id');
    useToken(parts, form, `remove ${id}`, session.secret);
    const workspaces = parts.people.workspacesOf(session.account);
    const isGone = parts.people.applications.remove(id, workspaces);
    const notice = isGone ? 'The application was removed.' : 'It was removed already.';
    return showApplications(parts, response, session, { notice });
  }
  useToken(parts, form, 'add', session.secret);
  add(parts, response, session, form);
}

function add(
  parts: SettingsParts,
  response: ServerResponse,
  session: CurrentSession,
  form: Form,
): void {
  const { applications, workspacesOf } = parts.people;
  const workspaces = workspacesOf(session.account);
  const typed = readTyped(form);
  try {
    // Else anybody with an account could be the MCP server that others hand their tokens to.
    if (form.text('resource') !== '') {
      throw invalidArgument(
        'resource',
        'is registered on the command line alone: fovea application add',
      );
    }
    const workspace = workspaces.find((each) => each === typed.workspace);
    if (workspace === undefined) {
      throw invalidArgument('workspace', 'must be one of yours');
    }
    const { application, secret } = applications.add(
      {
        ...typed,
        redirectUris: typed.redirectUris.split(/\r?\n/).filter((line) => line.trim() !== ''),
        auth: typed.authentication,
        desktop: typed.isDesktop,
        mcp: typed.isMcp,
      },
      workspace,
    );
    sendPage(response, 200, registeredPage(application, secret?.reveal()));
  } catch (thrown) {
    const error = asFoveaError(thrown);
    if (error.code !== 'invalid_input' && error.code !== 'conflict') throw thrown;
    const { status, problems } = error;
    const message = problems.length > 0 ? 'It was not registered:' : error.message;
    showApplications(parts, response, session, { typed, problem: { message, problems } }, status);
  }
}

function readTyped(form: Form): TypedApplication {
  return {
    name: form.text('name'),
    homepage: form.text('homepage'),
    redirectUris: form.text('redirect_uris'),
    authentication: form.text('auth'),
    visibility: form.text('visibility'),
    workspace: form.text('workspace'),
    isDesktop: form.text('desktop') !== '',
    isMcp: form.text('mcp') !== '',
    scopes: form.all('scope'),
  };
}
