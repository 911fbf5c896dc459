// The sign-in and consent pages, on oidc-provider's interactions.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { FoveaError, invalidArgument } from '../errors.ts';
import { clientAddress } from '../http-server/client-address.ts';
import type { Route } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Secret } from '../secret.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { consentTo, isLocalProgram, isOwnPage, nameOfClient } from './client-identity.ts';
import { connectionPages } from './connection-pages.ts';
import { checkCredentials, type RefusedCredentials } from './credential-check.ts';
import type { FormBinding } from './csrf-tokens.ts';
import { type Form, readForm } from './form-body.ts';
import { pageRoute, sendPage } from './page-response.ts';
import { consentPage } from './pages/consent-page.ts';
import { continuePage } from './pages/continue-page.ts';
import { errorPage, linkToPage } from './pages/error-page.ts';
import { signInPage } from './pages/sign-in-page.ts';
import { interactionPath } from './paths.ts';
import { settings } from './settings-pages.ts';
import { endedCookie, readCookie } from './settings-session.ts';
import { platformPageName, type SignInEvents } from './sign-in-events.ts';
import type { Account } from './store/account-store.ts';
import type { ConnectionStore, Consent } from './store/connection-store.ts';
import type { UserServices } from './user-services.ts';

export interface InteractionDependencies {
  /** Called for each request, since the provider is replaced when keys change. */
  provider(): Promise<Provider>;
  /** Our address; known when requests come. */
  issuer(): string;
  readonly users: UserServices;
  readonly browsers: BrowserSessions;
  readonly events: SignInEvents;
  readonly connections: ConnectionStore;
  /** Stores with a grant what was allowed, before tokens are issued for it. */
  describeGrant(grantId: string, workspace: string, consent: Consent): Promise<void>;
  /** Runs `work` in one transaction: what it stores is stored together. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** The path of the authorization endpoint, where a sign-in can start again. */
  readonly authorizePath: string;
  /** Path of the platform's page at the same address; undefined: there is none. */
  readonly platformPage: string | undefined;
  readonly log: Log;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The pages at `/oauth/sign-in/{uid}` and below, and the settings pages. */
export function interactions(dependencies: InteractionDependencies): readonly Route[] {
  const path = interactionPath('{uid}');
  const { log, users, browsers, events, issuer, platformPage, connections, now } = dependencies;
  const link = linkToPage(platformPage);
  const route = (method: 'GET' | 'POST', at: string, handle: Parameters<typeof pageRoute>[3]) =>
    pageRoute(method, at, log, handle, link);
  const ofSettings = { users, browsers, events, log, issuer, platformPage };
  return [
    ...settings(ofSettings),
    ...connectionPages({ ...ofSettings, connections, now }),
    route('GET', path, async (request, response, { uid = '' }) => {
      const interaction = await find(dependencies, request, response, uid);
      if (interaction.prompt === 'login') await showSignIn(dependencies, response, interaction);
      else await showConsent(dependencies, response, interaction);
    }),
    route('POST', path, async (request, response, { uid = '' }) => {
      const form = await readForm(request);
      const interaction = await find(dependencies, request, response, uid);
      await signIn(dependencies, { request, response, form, interaction });
    }),
    route('POST', `${path}/consent`, async (request, response, { uid = '' }) => {
      const form = await readForm(request);
      const interaction = await find(dependencies, request, response, uid);
      await decide(dependencies, { request, response, form, interaction });
    }),
  ];
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>;
type Client = NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>;

/** A sign-in in progress, whose cookie came with the request. */
interface PendingInteraction {
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
  readonly interaction: PendingInteraction;
}

/** Throws `not_found` unless this browser's cookie belongs to the sign-in in the URL. */
async function find(
  dependencies: InteractionDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
): Promise<PendingInteraction> {
  const provider = await dependencies.provider();
  const details = await provider.interactionDetails(request, response).catch(throwEnded);
  const { params, prompt } = details;
  const client = await provider.Client.find(text(params.client_id));
  if (details.uid !== uid || client === undefined) throw interactionEnded();
  return {
    details,
    client,
    prompt: prompt.name === 'login' ? 'login' : 'consent',
    redirectUri: text(params.redirect_uri),
    scopes: text(params.scope).split(' ').filter(Boolean),
    resources: texts(params.resource),
  };
}

function throwEnded(thrown: unknown): never {
  if (thrown instanceof Error && thrown.name === 'SessionNotFound') throw interactionEnded();
  throw thrown;
}

function interactionEnded(): FoveaError {
  return new FoveaError('not_found', 'This sign-in has ended, or was begun in another browser.', {
    hint: 'Go back to the application and sign in from there again.',
  });
}

/** A form is bound to one sign-in, account, client and redirect URI. */
function binding(
  kind: 'sign-in' | 'consent',
  { details, client, redirectUri }: PendingInteraction,
): FormBinding {
  return [kind, details.uid, details.session?.accountId ?? '', client.clientId, redirectUri];
}

async function makeToken(
  { users }: InteractionDependencies,
  kind: 'sign-in' | 'consent',
  interaction: PendingInteraction,
): Promise<string> {
  const make = await users.formTokens.maker();
  return make(binding(kind, interaction), limits.oauthLifetimes.interactionSeconds * 1_000);
}

/** Throws `forbidden` unless the form has an unused CSRF token for this sign-in. */
async function useToken(
  dependencies: InteractionDependencies,
  kind: 'sign-in' | 'consent',
  submission: Submission,
): Promise<void> {
  const { form, interaction } = submission;
  const isRight = await dependencies.users.formTokens.use(
    form.text('form_token'),
    binding(kind, interaction),
  );
  if (interaction.prompt === (kind === 'sign-in' ? 'login' : 'consent') && isRight) return;
  throw new FoveaError('forbidden', 'This form was sent before, is too old, or is not ours.', {
    hint: 'Nothing was changed. Go back to the application and sign in from there again.',
  });
}

async function showSignIn(
  dependencies: InteractionDependencies,
  response: ServerResponse,
  interaction: PendingInteraction,
  refused?: RefusedCredentials & { readonly name: string },
): Promise<void> {
  const { details, client } = interaction;
  const { accounts } = dependencies.users;
  const current = await accounts.find(details.session?.accountId ?? '');
  const other = 'The application asks for another account than that one.';
  const page = signInPage({
    action: interactionPath(details.uid),
    token: await makeToken(dependencies, 'sign-in', interaction),
    client: nameOfClient(client),
    name: refused?.name ?? (text(details.params.login_hint) || current?.email),
    problem: refused?.problem ?? (details.lastSubmission?.login ? other : undefined),
    hasAccounts: !(await accounts.isEmpty()),
  });
  sendPage(response, refused?.status ?? 200, page, refused?.headers);
}

async function signIn(
  dependencies: InteractionDependencies,
  submission: Submission,
): Promise<void> {
  const { request, response, form, interaction } = submission;
  const provider = await dependencies.provider();
  const cookie = readCookie(request, provider.cookieName('session'));
  const found = await checkCredentials(dependencies.users, {
    form,
    address: clientAddress(request),
    useToken: () => useToken(dependencies, 'sign-in', submission),
    begin: async (account) => {
      if (cookie !== undefined) {
        await endSessionOfOthers(provider, interaction.details, account, cookie);
      }
      const login = { accountId: account.id, amr: ['pwd'], remember: form.text('remember') !== '' };
      const result = { login };
      const next = await provider.interactionResult(request, response, result).catch(throwEnded);
      return { account, next };
    },
  });
  if ('problem' in found) {
    return showSignIn(dependencies, response, interaction, { ...found, name: form.text('name') });
  }
  const { account, next } = found.begun;
  const { client } = interaction;
  const where = isOwnPage(client) ? platformPageName : nameOfClient(client);
  await dependencies.events.tell(account, 'signed in', where);
  // Who signs in here may be another person than the one at the settings pages of this browser.
  const headers = { 'set-cookie': endedCookie(dependencies) };
  sendPage(response, 200, continuePage(next, 'You are signed in.'), headers);
}

/**
 * Ends the session of another account in this browser, which may have begun in another tab
 * meanwhile; the library would redirect to a sign-out page, which is disabled here. The grants of
 * that account stay.
 */
async function endSessionOfOthers(
  provider: Provider,
  details: Details,
  account: Account,
  cookie: Secret,
): Promise<void> {
  const known = await provider.Session.find(cookie.reveal());
  const isOfOther = known?.accountId !== undefined && known.accountId !== account.id;
  if (isOfOther) await known.destroy();
  const begun = details.session;
  if (begun === undefined || (!isOfOther && begun.accountId === account.id)) return;
  details.session = undefined;
  await details.persist();
}

async function showConsent(
  dependencies: InteractionDependencies,
  response: ServerResponse,
  interaction: PendingInteraction,
): Promise<void> {
  const { details, client, redirectUri, scopes, resources } = interaction;
  const otherAccount = signInAgainUrl(dependencies, details);
  const account = await dependencies.users.accounts.find(details.session?.accountId ?? '');
  if (account === undefined) {
    const link = { address: otherAccount, text: 'Sign in again' };
    return sendPage(response, 403, errorPage({ message: 'This account is gone.', link }));
  }
  const workspaces = await workspacesFor(dependencies.users, account, client.clientId);
  if (workspaces.length === 0) {
    return sendPage(response, 403, internalPage(account, otherAccount));
  }
  const page = consentPage({
    action: `${interactionPath(details.uid)}/consent`,
    token: await makeToken(dependencies, 'consent', interaction),
    client: {
      name: nameOfClient(client),
      homepage: client.clientUri,
      isDesktop: isLocalProgram(client, redirectUri),
      isOwnPage: isOwnPage(client),
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

/** Internal applications get their own workspace only, others any workspace of the account. */
async function workspacesFor(
  users: UserServices,
  account: Account,
  clientId: string,
): Promise<readonly string[]> {
  const application = await users.applications.find(clientId);
  const all = users.workspacesOf(account);
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

/** The client's authorization request again, with a sign-in first. */
function signInAgainUrl({ authorizePath }: InteractionDependencies, { params }: Details): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of name === 'prompt' ? [] : texts(value)) query.append(name, each);
  }
  const asksAgain = text(params.prompt).split(' ').includes('consent');
  query.append('prompt', asksAgain ? 'login consent' : 'login');
  return `${authorizePath}?${query}`;
}

async function decide(
  dependencies: InteractionDependencies,
  submission: Submission,
): Promise<void> {
  const { request, response, form, interaction } = submission;
  await useToken(dependencies, 'consent', submission);
  const { details, client, redirectUri, scopes, resources } = interaction;
  const provider = await dependencies.provider();
  const account = await dependencies.users.accounts.find(details.session?.accountId ?? '');
  const workspaces =
    account === undefined ? [] : await workspacesFor(dependencies.users, account, client.clientId);
  const workspace = workspaces.find((each) => each === form.text('workspace'));
  if (form.text('decision') !== 'allow') {
    const error = { error: 'access_denied', error_description: 'The person did not allow it.' };
    const next = await provider.interactionResult(request, response, error).catch(throwEnded);
    return sendPage(response, 200, continuePage(next, 'You did not allow it. Nothing was shared.'));
  }
  if (account === undefined || workspace === undefined) {
    const hint = 'Nothing was changed. Go back to the application and sign in from there again.';
    throw invalidArgument('workspace', 'must be one of yours', hint);
  }
  // One grant for each consent, so that signing out of one sign-in does not end the others.
  const grant = new provider.Grant({ accountId: account.id, clientId: client.clientId });
  grant.addOIDCScope(scopes.join(' '));
  for (const resource of resources) grant.addResourceScope(resource, scopes.join(' '));
  // The library looks at the sign-in again: what has ended it meanwhile undoes the grant too.
  const next = await dependencies.transaction(async () => {
    const grantId = await grant.save();
    const consent = consentTo(client, redirectUri, { scopes, resources });
    await dependencies.describeGrant(grantId, workspace, consent);
    const result = { consent: { grantId } };
    return provider.interactionResult(request, response, result).catch(throwEnded);
  });
  sendPage(response, 200, continuePage(next, 'You allowed it. Going back to the application.'));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value])
    .filter((each) => each !== undefined && each !== null)
    .map(String);
}
