// The two pages of a sign-in, on oidc-provider's interactions: who are you, and may it do that.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { FoveaError, invalidArgument } from '../errors.ts';
import { clientAddress } from '../http-server/client-address.ts';
import type { Route } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { hasLoopbackHost } from './application-rules.ts';
import type { FormBinding } from './csrf.ts';
import { type Form, readForm } from './page-form.ts';
import { sendPage } from './page-headers.ts';
import { pageRoute } from './page-route.ts';
import { consentPage } from './pages/consent-page.ts';
import { errorPage } from './pages/error-page.ts';
import { onwardPage } from './pages/onward-page.ts';
import { signInPage } from './pages/sign-in-page.ts';
import { checkPassword, type RefusedPassword } from './password-check.ts';
import { interactionPath } from './paths.ts';
import type { People } from './people.ts';
import { settings } from './settings.ts';
import type { Account } from './store/people-store.ts';
import { displayNameProblem } from './text-rules.ts';

export interface InteractionParts {
  /** Asked for each request: it is built anew when keys change. */
  provider(): Provider;
  readonly people: People;
  /** Keeps for which workspace a grant is, before anything can be had for it. */
  setWorkspace(grantId: string, workspace: string): void | Promise<void>;
  /** The path of the authorization endpoint, where a sign-in can begin anew. */
  readonly authorizePath: string;
  readonly log: Log;
}

/** The pages at `/oauth/sign-in/{uid}` and below, and the settings. */
export function interactions(parts: InteractionParts): readonly Route[] {
  const path = interactionPath('{uid}');
  const { log, people } = parts;
  return [
    ...settings({ people, log, issuer: () => parts.provider().issuer }),
    pageRoute('GET', path, log, async (request, response, { uid = '' }) => {
      const asked = await find(parts, request, response, uid);
      if (asked.prompt === 'login') showSignIn(parts, response, asked);
      else await showConsent(parts, response, asked);
    }),
    pageRoute('POST', path, log, async (request, response, { uid = '' }) => {
      const form = await readForm(request);
      const asked = await find(parts, request, response, uid);
      await signIn(parts, { request, response, form, asked });
    }),
    pageRoute('POST', `${path}/consent`, log, async (request, response, { uid = '' }) => {
      const form = await readForm(request);
      const asked = await find(parts, request, response, uid);
      await decide(parts, { request, response, form, asked });
    }),
  ];
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;
type Client = NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>;

/** A sign-in that waits for its person, whose cookie came with the request. */
interface Asked {
  readonly details: Details;
  readonly prompt: 'login' | 'consent';
  readonly client: Client;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
}

interface Submission {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly form: Form;
  readonly asked: Asked;
}

/** Throws `not_found` unless the cookie of this browser is that of the sign-in in the address. */
async function find(
  parts: InteractionParts,
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
): Promise<Asked> {
  const provider = parts.provider();
  const details = await provider.interactionDetails(request, response).catch((thrown) => {
    if (thrown instanceof Error && thrown.name === 'SessionNotFound') throw ended();
    throw thrown;
  });
  const { params, prompt } = details;
  const client = await provider.Client.find(text(params.client_id));
  if (details.uid !== uid || client === undefined) throw ended();
  return {
    details,
    client,
    prompt: prompt.name === 'login' ? 'login' : 'consent',
    redirectUri: text(params.redirect_uri),
    scopes: text(params.scope).split(' ').filter(Boolean),
    resources: texts(params.resource),
  };
}

function ended(): FoveaError {
  return new FoveaError('not_found', 'This sign-in has ended, or was begun in another browser.', {
    hint: 'Go back to the application and sign in from there again.',
  });
}

/** A form is good for one sign-in, person, application and way back. */
function binding(
  kind: 'sign-in' | 'consent',
  { details, client, redirectUri }: Asked,
): FormBinding {
  return [kind, details.uid, details.session?.accountId ?? '', client.clientId, redirectUri];
}

function makeToken(parts: InteractionParts, kind: 'sign-in' | 'consent', asked: Asked): string {
  const lifetimeMs = limits.oauthLifetimes.interactionSeconds * 1_000;
  return parts.people.formTokens.make(binding(kind, asked), lifetimeMs);
}

/** Throws `forbidden` unless our own page for exactly this sent the form, for the first time. */
function useToken(parts: InteractionParts, kind: 'sign-in' | 'consent', submission: Submission) {
  const { form, asked } = submission;
  const isRight = parts.people.formTokens.use(form.text('form_token'), binding(kind, asked));
  if (asked.prompt === (kind === 'sign-in' ? 'login' : 'consent') && isRight) return;
  throw new FoveaError('forbidden', 'This form was sent before, is too old, or is not ours.', {
    hint: 'Nothing was changed. Go back to the application and sign in from there again.',
  });
}

function showSignIn(
  { people, ...parts }: InteractionParts,
  response: ServerResponse,
  asked: Asked,
  again?: RefusedPassword & { readonly name: string },
): void {
  const { details, client } = asked;
  const current = people.accounts.find(details.session?.accountId ?? '');
  const other = 'The application asks for another account than that one.';
  const page = signInPage({
    action: interactionPath(details.uid),
    token: makeToken({ people, ...parts }, 'sign-in', asked),
    application: nameOf(client),
    name: again?.name ?? (text(details.params.login_hint) || current?.email),
    problem: again?.problem ?? (details.lastSubmission?.login ? other : undefined),
    hasAccounts: !people.accounts.isEmpty(),
  });
  sendPage(response, again?.status ?? 200, page, again?.headers);
}

async function signIn(parts: InteractionParts, submission: Submission): Promise<void> {
  const { request, response, form, asked } = submission;
  const provider = parts.provider();
  const address = clientAddress(request);
  const found = await checkPassword(parts.people, form, address, () =>
    useToken(parts, 'sign-in', submission),
  );
  if ('problem' in found) {
    return showSignIn(parts, response, asked, { ...found, name: form.text('name') });
  }
  await leaveOtherAccount(provider, asked.details, found.account);
  const remember = form.text('remember') !== '';
  const login = { accountId: found.account.id, amr: ['pwd'], remember };
  const next = await provider.interactionResult(request, response, { login });
  sendPage(response, 200, onwardPage(next, 'You are signed in.'));
}

/**
 * Ends the session of another account in this browser: the library would want to sign it out by a
 * page that it does not have here. What its applications were allowed stays.
 */
async function leaveOtherAccount(
  provider: Provider,
  details: Details,
  { id }: Account,
): Promise<void> {
  const { session } = details;
  if (session === undefined || session.accountId === id) return;
  const known = await provider.Session.find(session.cookie);
  await known?.destroy();
  details.session = undefined;
  await details.persist();
}

async function showConsent(
  parts: InteractionParts,
  response: ServerResponse,
  asked: Asked,
): Promise<void> {
  const { details, client, redirectUri, scopes, resources } = asked;
  const otherAccount = signInAnew(parts, details);
  const account = parts.people.accounts.find(details.session?.accountId ?? '');
  if (account === undefined) {
    const link = { address: otherAccount, text: 'Sign in again' };
    return sendPage(response, 403, errorPage({ message: 'This account is gone.', link }));
  }
  const workspaces = workspacesFor(parts.people, account, client.clientId);
  if (workspaces.length === 0) {
    return sendPage(response, 403, internalPage(account, otherAccount));
  }
  const page = consentPage({
    action: `${interactionPath(details.uid)}/consent`,
    token: makeToken(parts, 'consent', asked),
    application: {
      name: nameOf(client),
      homepage: client.clientUri,
      isDesktop: client.applicationType === 'native' || hasLoopbackHost(redirectUri),
      documentHost: URL.parse(client.clientId)?.host,
    },
    account,
    redirectUri,
    scopes,
    resources,
    workspaces,
    otherAccount,
  });
  sendPage(response, 200, page);
}

/** Documents of others may have names that nobody could register here. */
function nameOf({ clientName = '', clientId }: Client): string {
  const name = clientName.trim();
  return displayNameProblem(name) === undefined ? name : (URL.parse(clientId)?.host ?? clientId);
}

/** Internal applications are for their own workspace, all others for any of the account's. */
function workspacesFor(people: People, account: Account, clientId: string): readonly string[] {
  const application = people.applications.find(clientId);
  const all = people.workspacesOf(account);
  return application?.visibility === 'Internal'
    ? all.filter((workspace) => workspace === application.workspace)
    : all;
}

function internalPage({ name }: Account, otherAccount: string) {
  return errorPage({
    title: 'Not for this account',
    message: 'This application is for the members of its own workspace.',
    hint: `You are signed in as ${name}, who is not one of them.`,
    link: { address: otherAccount, text: 'Sign in as somebody else' },
  });
}

/** The same request of the application, asking for the password first. */
function signInAnew({ authorizePath }: InteractionParts, { params }: Details): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of name === 'prompt' ? [] : texts(value)) query.append(name, each);
  }
  const asksAgain = text(params.prompt).split(' ').includes('consent');
  query.append('prompt', asksAgain ? 'login consent' : 'login');
  return `${authorizePath}?${query}`;
}

async function decide(parts: InteractionParts, submission: Submission): Promise<void> {
  const { request, response, form, asked } = submission;
  useToken(parts, 'consent', submission);
  const { details, client, scopes, resources } = asked;
  const provider = parts.provider();
  const account = parts.people.accounts.find(details.session?.accountId ?? '');
  const workspaces =
    account === undefined ? [] : workspacesFor(parts.people, account, client.clientId);
  const workspace = workspaces.find((each) => each === form.text('workspace'));
  if (form.text('decision') !== 'allow') {
    const error = { error: 'access_denied', error_description: 'The person did not allow it.' };
    const next = await provider.interactionResult(request, response, error);
    return sendPage(response, 200, onwardPage(next, 'You did not allow it. Nothing was shared.'));
  }
  if (account === undefined || workspace === undefined) {
    const hint = 'Nothing was changed. Go back to the application and sign in from there again.';
    throw invalidArgument('workspace', 'must be one of yours', hint);
  }
  // A grant of its own for each consent: signing out of one sign-in ends none of the others.
  const grant = new provider.Grant({ accountId: account.id, clientId: client.clientId });
  grant.addOIDCScope(scopes.join(' '));
  for (const resource of resources) grant.addResourceScope(resource, scopes.join(' '));
  const grantId = await grant.save();
  await parts.setWorkspace(grantId, workspace);
  const next = await provider.interactionResult(request, response, { consent: { grantId } });
  sendPage(response, 200, onwardPage(next, 'You allowed it. Going back to the application.'));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value])
    .filter((each) => each !== undefined && each !== null)
    .map(String);
}
