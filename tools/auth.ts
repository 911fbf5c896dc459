// Tools of the auth toolset: sign in and out, and show who is signed in.

import * as z from 'zod';
import { workspace } from '../src/contract/workspace.ts';
import { asFoveaError } from '../src/errors.ts';
import { limits } from '../src/limits.ts';
import {
  type NextCall,
  type Tool,
  type ToolContext,
  type ToolResult,
  tool,
} from '../src/mcp/tool.ts';
import type { SignInFlow, SignInStatus } from '../src/sign-in/sign-in-flow.ts';
import { quoted } from './format.ts';

interface AuthStatus {
  readonly status: 'signed_in' | 'pending' | 'signed_out';
  /** Null: it does not expire, or the end is unknown. */
  readonly expires_at: string | null;
  /** Null: all that the key allows. */
  readonly scopes: readonly string[] | null;
  readonly workspace_url: string | null;
  readonly store: string;
  /** Which of several sign-ins; only where tokens are used. */
  readonly profile?: string;
  /** Of a sign-in that is under way. */
  readonly authorization_url?: string;
  readonly error?: string;
}

const base = {
  toolset: 'auth',
  idempotent: true,
  openWorld: true,
  scope: undefined,
  usesFiles: false,
  input: z.strictObject({}),
} as const;

export const authTools: readonly Tool[] = [
  tool({
    ...base,
    name: 'auth_sign_in',
    title: 'Sign in',
    description:
      'Lets the user sign in to the hosted platform, in a browser. auth_status tells when it is done.',
    effect: 'adds',
    recoverable: false,
    run: (_input, context) => signIn(context),
  }),
  tool({
    ...base,
    name: 'auth_status',
    title: 'Show sign-in status',
    description:
      'Tells whether somebody is signed in, to which workspace, with which scopes and until when.',
    effect: 'reads',
    recoverable: false,
    run: async (_input, context) => {
      const status = await statusOf(context);
      return { summary: sentenceOf(status), data: { ...status } };
    },
  }),
  tool({
    ...base,
    name: 'auth_sign_out',
    title: 'Sign out',
    description: 'Signs out: revokes the tokens at the service and forgets them here.',
    effect: 'removes',
    recoverable: true,
    run: (_input, context) => signOut(context),
  }),
  tool({
    ...base,
    name: 'auth_userinfo',
    title: 'Get user',
    description: 'Gives name and email of who is signed in.',
    effect: 'reads',
    recoverable: false,
    run: (_input, context) => userinfo(context),
  }),
];

const signInHint = 'Call auth_sign_in, or set FOVEA_API_KEY to a key of the workspace.';

const embeddedStore = 'embedded platform';
const keyStore = 'environment (FOVEA_API_KEY)';

/** What is used in place of a sign-in, whose code is not loaded then. */
function withoutSignIn({ settings }: ToolContext): typeof embeddedStore | typeof keyStore | null {
  if (settings.baseUrl === undefined) return embeddedStore;
  return settings.apiKey === undefined ? null : keyStore;
}

/**
 * Opens a browser through the host where it can, else on this machine, else by the URL in the
 * result. A pending sign-in is not opened in a second window.
 */
async function signIn(context: ToolContext): Promise<ToolResult> {
  const instead = withoutSignIn(context);
  if (instead !== null) {
    const { status, workspace_url, ...facts } = await statusOf(context);
    const summary = sentenceOf({ status, workspace_url, ...facts });
    const isKey = instead === keyStore;
    const advice = isKey ? 'Without FOVEA_API_KEY a user could sign in.' : 'No sign-in is needed.';
    const data = { status, authorization_url: null, workspace_url, store: instead };
    return { summary: `${summary} ${advice}`, data };
  }
  const { canOpenUrl, urlAction, openUrl } = context.elicitation;
  const flow = await context.signIn();
  if (urlAction === 'decline') return declined(flow);
  const started = await flow.start();
  if (started.status === 'signed_in') return signedIn(started.workspaceUrl, 'already');
  const { authorizationUrl: url, isNew } = started;
  const message = `Sign in to ${new URL(url).host}, so that Fovea can work for you there.`;
  const action = isNew && canOpenUrl ? await openUrl(url, message) : urlAction;
  if (action === 'decline') return declined(flow);
  // The user may have signed in while the host was asked.
  const now = action === 'accept' ? await flow.status() : undefined;
  if (now?.status === 'signed_in') return signedIn(now.workspaceUrl);
  const mayOpen = action === 'none' || (action === undefined && isNew);
  const isOpen = action === 'accept' || (mayOpen && flow.openBrowser(url));
  const data = { status: 'pending', authorization_url: url };
  return { summary: isOpen ? opened : notOpened, data, next: [whenDone] };
}

function signedIn(workspaceUrl: string | undefined, since?: 'already'): ToolResult {
  const workspace_url = workspaceUrl ?? null;
  const data = { status: 'signed_in', authorization_url: null, workspace_url };
  const already = since === undefined ? '' : ' already';
  return { summary: `Signed in${already}${toWorkspace(workspace_url)}.`, data };
}

async function declined(flow: SignInFlow): Promise<ToolResult> {
  await flow.close();
  const data = { status: 'signed_out', authorization_url: null };
  return { summary: 'The user declined to sign in. Ask before you try again.', data };
}

const whenDone: NextCall = { tool: 'auth_status', arguments: {}, why: 'Tells when it is done.' };

const opened = 'The sign-in page is opening in a browser. Wait until the user has signed in.';

const notOpened =
  'Show the user authorization_url, to be opened in a browser on this machine. On another machine: fovea sign-in --paste.';

/**
 * Asks a hosted platform where a key is set, since a key alone proves nothing; the embedded
 * platform is not even started. Throws where the platform does not answer.
 */
async function statusOf(context: ToolContext): Promise<AuthStatus> {
  const { settings } = context;
  const store = withoutSignIn(context);
  if (store === null) return tokenStatus(await (await context.signIn()).status());
  const nobody = { expires_at: null, scopes: null, workspace_url: null, store };
  if (store === embeddedStore) {
    return { ...nobody, status: 'signed_in', workspace_url: settings.workspace ?? null };
  }
  try {
    const options = { signal: context.signal, timeoutMs: limits.doctorTimeoutMs };
    const { body } = await context.client.call(workspace.workspace_whoami, {}, options);
    return { ...nobody, status: 'signed_in', workspace_url: body.workspace };
  } catch (thrown) {
    const { code } = asFoveaError(thrown);
    if (code !== 'unauthenticated' && code !== 'forbidden') throw thrown;
    return { ...nobody, status: 'signed_out', error: 'The platform refuses the key.' };
  }
}

function tokenStatus(found: SignInStatus): AuthStatus {
  const { status, expiresAt, scopes, workspaceUrl, store, profile, authorizationUrl } = found;
  const error = found.error ?? (status === 'signed_out' ? signInHint : undefined);
  return {
    status,
    expires_at: isoOrNull(expiresAt),
    scopes,
    workspace_url: workspaceUrl ?? null,
    store,
    profile,
    ...(authorizationUrl !== undefined && { authorization_url: authorizationUrl }),
    ...(error !== undefined && { error }),
  };
}

/** Times of a service may be beyond those that a Date can hold. */
function isoOrNull(time: number | undefined): string | null {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function sentenceOf({ status, workspace_url, store, expires_at, error }: AuthStatus): string {
  if (status === 'pending') return 'The user has not finished signing in.';
  if (status === 'signed_out') return `Not signed in. ${error ?? ''}`.trim();
  const where = toWorkspace(workspace_url);
  if (store === keyStore) return `Signed in${where} with FOVEA_API_KEY.`;
  return `Signed in${where} (${store})${expires_at === null ? '' : ` until ${expires_at}`}.`;
}

function toWorkspace(workspace: string | null): string {
  return workspace === null ? '' : ` to ${quoted(workspace)}`;
}

async function signOut(context: ToolContext): Promise<ToolResult> {
  if (withoutSignIn(context) === embeddedStore) {
    const data = { status: 'signed_in', revoked: false, was_signed_in: false };
    return { summary: 'The embedded platform has no sign-in to end.', data };
  }
  const { revoked, wasSignedIn } = await (await context.signIn()).signOut(context.signal);
  const data = { status: 'signed_out', revoked, was_signed_in: wasSignedIn };
  const said = wasSignedIn ? forgotten(revoked) : 'Nobody was signed in.';
  if (context.settings.apiKey === undefined) return { summary: said, data };
  const summary = `${said} FOVEA_API_KEY is still in use; remove it where it was set.`;
  return { summary, data: { ...data, status: 'signed_in', store: keyStore } };
}

function forgotten(revoked: boolean): string {
  return revoked
    ? 'Signed out: the tokens are revoked and forgotten.'
    : 'Signed out: the tokens are forgotten, but the service did not confirm that it revoked them.';
}

async function userinfo(context: ToolContext): Promise<ToolResult> {
  const store = withoutSignIn(context);
  if (store !== null) {
    const who = store === keyStore ? 'FOVEA_API_KEY belongs to' : 'The embedded platform is';
    return { summary: `${who} a workspace, and names no person.`, data: { sub: null } };
  }
  const claims = await (await context.signIn()).userinfo(context.signal);
  const data = Object.fromEntries(
    shownClaims.filter((name) => isPlain(claims[name])).map((name) => [name, claims[name]]),
  );
  const known = [data.name, data.email, data.sub].find((claim) => typeof claim === 'string');
  const summary = typeof known === 'string' ? `Signed in as ${quoted(known)}.` : 'Signed in.';
  return { summary, data };
}

/**
 * The claims of the API, and one that other services use: a claim named `next` would be read as
 * ours.
 */
const shownClaims = ['sub', 'name', 'preferred_username', 'email', 'email_verified', 'picture'];

function isPlain(claim: unknown): boolean {
  return typeof claim === 'string' || typeof claim === 'boolean';
}
