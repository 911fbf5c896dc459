// The settings pages: signed-in users register, list and remove applications, and change their
// password.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { asFoveaError, invalidArgument } from '../errors.ts';
import { clientAddress } from '../http-server/client-address.ts';
import type { Route } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import { Secret } from '../secret.ts';
import { checkCredentials, type RefusedCredentials } from './credential-check.ts';
import { type Form, readForm } from './form-body.ts';
import { pageRoute, seeOther, sendPage } from './page-response.ts';
import {
  type ApplicationsPage,
  applicationsPage,
  registeredPage,
  type TypedApplication,
} from './pages/applications-page.ts';
import type { Page } from './pages/page-layout.ts';
import { passwordChangedPage, passwordPage } from './pages/password-page.ts';
import { signInPage } from './pages/sign-in-page.ts';
import { afterSettingsSignIn, settingsPaths, settingsSignIn } from './paths.ts';
import {
  browserCookie,
  type CurrentSession,
  cookieName,
  cookieOf,
  currentSession,
  endedCookie,
  readCookie,
  type SettingsDependencies,
  type SignedInForm,
  tokenMaker,
  useToken,
  withSignedInForm,
  wrongForm,
} from './settings-session.ts';
import { platformPageName, settingsName } from './sign-in-events.ts';

/** The pages below `/settings`. */
export function settings(dependencies: SettingsDependencies): readonly Route[] {
  const { log } = dependencies;
  return [
    pageRoute('GET', settingsPaths.home, log, async (_request, response) =>
      seeOther(response, settingsPaths.applications),
    ),
    pageRoute('GET', settingsPaths.signIn, log, async (request, response) =>
      showSignIn(dependencies, request, response),
    ),
    pageRoute('POST', settingsPaths.signIn, log, (request, response) =>
      signIn(dependencies, request, response),
    ),
    pageRoute('POST', settingsPaths.signOut, log, (request, response) =>
      signOut(dependencies, request, response),
    ),
    pageRoute('GET', settingsPaths.applications, log, async (request, response) => {
      const session = await currentSession(dependencies, request);
      if (session === undefined) seeOther(response, settingsSignIn(settingsPaths.applications));
      else await showApplications(dependencies, response, session);
    }),
    pageRoute('POST', settingsPaths.applications, log, (request, response) =>
      withSignedInForm(dependencies, request, response, (sent) =>
        changeApplications(dependencies, response, sent),
      ),
    ),
    ...passwordSettings(dependencies),
  ];
}

/** With the navigation of the platform's page, where there is one. */
function send(
  { platformPage }: SettingsDependencies,
  response: ServerResponse,
  status: number,
  page: Page,
  headers: OutgoingHttpHeaders = {},
): void {
  sendPage(response, status, { ...page, platformPage }, headers);
}

/** The form is bound to its own cookie, against login CSRF. */
async function showSignIn(
  dependencies: SettingsDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  refused?: RefusedCredentials & { readonly name: string },
): Promise<void> {
  const name = cookieName(dependencies, 'form');
  const known = readCookie(request, name);
  const secret = known ?? new Secret(randomBytes(32).toString('base64url'));
  const { accounts } = dependencies.users;
  const token = await tokenMaker(dependencies, secret);
  const page = signInPage({
    action: settingsSignIn(afterSettingsSignIn(request.url)),
    token: token('sign-in'),
    name: refused?.name,
    problem: refused?.problem,
    hasAccounts: !(await accounts.isEmpty()),
  });
  const cookie = { 'set-cookie': cookieOf(dependencies, name, secret, limits.settingsFormMs) };
  send(dependencies, response, refused?.status ?? 200, page, { ...refused?.headers, ...cookie });
}

async function signIn(
  dependencies: SettingsDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const owner = readCookie(request, cookieName(dependencies, 'form'));
  if (owner === undefined) throw wrongForm();
  const found = await checkCredentials(dependencies.users, {
    form,
    address: clientAddress(request),
    useToken: () => useToken(dependencies, form, 'sign-in', owner),
    begin: async (account) => {
      const { id } = account;
      // One person in a browser: else the page would go on as somebody else.
      const browser = browserCookie(dependencies, request);
      if (browser !== undefined) await dependencies.browsers.endOfOthers(browser, id);
      return { account, session: await dependencies.users.settingsSessions.begin(id) };
    },
  });
  if ('problem' in found) {
    return showSignIn(dependencies, request, response, { ...found, name: form.text('name') });
  }
  const { account, session } = found.begun;
  await dependencies.events.tell(account, 'signed in', settingsName);
  const cookie = sessionCookie(dependencies, session);
  seeOther(response, afterSettingsSignIn(request.url), { 'set-cookie': cookie });
}

function sessionCookie(dependencies: SettingsDependencies, session: Secret): string {
  const name = cookieName(dependencies, 'session');
  return cookieOf(dependencies, name, session, limits.settingsSessionMs);
}

/** Of the whole browser: the settings pages and the platform's page, which sends its own token. */
async function signOut(
  dependencies: SettingsDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const pageToken = form.text('page_token');
  if (pageToken !== '') {
    if (request.headers.origin !== dependencies.issuer()) throw wrongForm();
    const account = await dependencies.browsers.endOfPage(pageToken);
    if (account) await dependencies.events.tell(account, 'signed out', platformPageName);
    await endBrowser(dependencies, request);
    response.writeHead(204, {
      'set-cookie': endedCookie(dependencies),
      'cache-control': 'no-store',
    });
    response.end();
    return;
  }
  const session = await currentSession(dependencies, request);
  if (session !== undefined) {
    await useToken(dependencies, form, 'sign-out', session.secret);
    await endBrowser(dependencies, request);
    await dependencies.events.tell(session.account, 'signed out', settingsName);
  }
  seeOther(response, settingsPaths.signIn, { 'set-cookie': endedCookie(dependencies) });
}

async function endBrowser(
  dependencies: SettingsDependencies,
  request: IncomingMessage,
): Promise<void> {
  const secret = readCookie(request, cookieName(dependencies, 'session'));
  if (secret !== undefined) await dependencies.users.settingsSessions.end(secret);
  const browser = browserCookie(dependencies, request);
  if (browser !== undefined) await dependencies.browsers.end(browser);
}

async function showApplications(
  dependencies: SettingsDependencies,
  response: ServerResponse,
  { account, secret }: CurrentSession,
  more: Pick<ApplicationsPage, 'typed' | 'problem' | 'notice'> = {},
  status = 200,
): Promise<void> {
  const { users } = dependencies;
  const workspaces = users.workspacesOf(account);
  const page = applicationsPage({
    account,
    workspaces,
    applications: await users.applications.list(workspaces),
    token: await tokenMaker(dependencies, secret),
    ...more,
  });
  send(dependencies, response, status, page);
}

async function changeApplications(
  dependencies: SettingsDependencies,
  response: ServerResponse,
  { form, session, useToken }: SignedInForm,
): Promise<void> {
  if (form.text('action') === 'remove') {
    const id = form.text('id');
    await useToken(`remove ${id}`);
    const workspaces = dependencies.users.workspacesOf(session.account);
    const isGone = await dependencies.users.applications.remove(id, workspaces);
    const notice = isGone ? 'The application was removed.' : 'It was removed already.';
    return showApplications(dependencies, response, session, { notice });
  }
  await useToken('add');
  await addApplication(dependencies, response, session, form);
}

async function addApplication(
  dependencies: SettingsDependencies,
  response: ServerResponse,
  session: CurrentSession,
  form: Form,
): Promise<void> {
  const { applications, workspacesOf } = dependencies.users;
  const workspaces = workspacesOf(session.account);
  const typed = typedApplication(form);
  try {
    // Else any user could register as the MCP server to which others send their tokens.
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
    const { application, secret } = await applications.add(
      {
        ...typed,
        redirectUris: typed.redirectUris.split(/\r?\n/).filter((line) => line.trim() !== ''),
        auth: typed.authentication,
        desktop: typed.isDesktop,
        mcp: typed.isMcp,
      },
      workspace,
    );
    send(dependencies, response, 200, registeredPage(application, secret?.reveal()));
  } catch (thrown) {
    const error = asFoveaError(thrown);
    if (error.code !== 'invalid_input' && error.code !== 'conflict') throw thrown;
    const { status, problems } = error;
    const message = problems.length > 0 ? 'It was not registered:' : error.message;
    await showApplications(
      dependencies,
      response,
      session,
      { typed, problem: { message, problems } },
      status,
    );
  }
}

function typedApplication(form: Form): TypedApplication {
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

/** The page at `/settings/password`. */
function passwordSettings(dependencies: SettingsDependencies): readonly Route[] {
  return [
    pageRoute('GET', settingsPaths.password, dependencies.log, async (request, response) => {
      const session = await currentSession(dependencies, request);
      if (session === undefined) seeOther(response, settingsSignIn(settingsPaths.password));
      else await showPage(dependencies, response, session);
    }),
    pageRoute('POST', settingsPaths.password, dependencies.log, (request, response) =>
      withSignedInForm(dependencies, request, response, (sent) =>
        changePassword(dependencies, request, response, sent),
      ),
    ),
  ];
}

async function showPage(
  dependencies: SettingsDependencies,
  response: ServerResponse,
  { account, secret }: CurrentSession,
  refused?: Pick<RefusedCredentials, 'problem' | 'headers'> & { readonly status: number },
): Promise<void> {
  const token = await tokenMaker(dependencies, secret);
  const page = passwordPage({ account, token: token('password'), problem: refused?.problem });
  send(dependencies, response, refused?.status ?? 200, page, refused?.headers);
}

/** Requires the current password, so that a signed-in browser alone is not enough. */
async function changePassword(
  dependencies: SettingsDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  { form, session, useToken }: SignedInForm,
): Promise<void> {
  const { account, secret } = session;
  const { accounts, settingsSessions } = dependencies.users;
  const found = await checkCredentials(dependencies.users, {
    form,
    address: clientAddress(request),
    useToken: () => useToken('password'),
    begin: async ({ id }) => id,
  });
  if ('problem' in found) return showPage(dependencies, response, session, found);
  const password = new Secret(form.text('new_password'));
  const isSame = password.reveal() === form.text('again');
  if (found.begun !== account.id || !isSame) {
    const problem = isSame ? 'This is the password of another account.' : passwordsDiffer;
    return showPage(dependencies, response, session, { problem, status: 400 });
  }
  let headers = {};
  try {
    const programs = form.text('sign_out') !== '';
    const isOfSettings = session.of === 'settings';
    const kept = isOfSettings ? secret : await settingsSessions.begin(account.id);
    if (!isOfSettings) headers = { 'set-cookie': sessionCookie(dependencies, kept) };
    await accounts.changePassword(account.id, password, { programs, butSession: kept });
  } catch (thrown) {
    const { code, problems, status } = asFoveaError(thrown);
    if (code !== 'invalid_input') throw thrown;
    const problem = `The new password ${problems[0]?.message}.`;
    return showPage(dependencies, response, session, { problem, status });
  }
  send(dependencies, response, 200, passwordChangedPage(), headers);
}

const passwordsDiffer = 'The two new passwords are not the same.';
