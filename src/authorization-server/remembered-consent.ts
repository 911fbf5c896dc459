// One grant per sign-in, so that signing out of one program does not sign out another.

import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { consentTo, isLocalProgram, isOwnPage } from './client-identity.ts';
import type { Consent } from './store/connection-store.ts';

export interface GrantStore {
  /** Runs `work` in one transaction: all that it stores is stored, or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Of a new grant, which takes the workspace of an earlier one. */
  describeCopy(from: string, to: string, consent: Consent): Promise<void>;
  /** Of a new grant. */
  describe(grantId: string, workspace: string, consent: Consent): Promise<void>;
  /** The workspace of an account that has one alone. */
  onlyWorkspace(accountId: string): Promise<string | undefined>;
}

/**
 * The grant of a request that needs no consent page: the one the user just consented to, or a copy
 * of one from this browser that covers all requested scopes. Undefined: show the consent page.
 */
export async function grantForRequest(
  ctx: KoaContextWithOIDC,
  grants: GrantStore,
): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const { client, session } = oidc;
  const consented = oidc.result?.consent?.grantId;
  if (consented !== undefined) return oidc.provider.Grant.find(consented);
  if (!client || !session || !oidc.account) return undefined;
  // Local programs cannot prove who they are, so they always need consent.
  if (isLocalProgram(client, String(oidc.params?.redirect_uri))) return undefined;
  const previousId = session.grantIdFor(client.clientId);
  if (oidc.promptPending('consent') || oidc.promptPending('login')) return undefined;
  return grants.transaction(async () => {
    const copy = previousId === undefined ? undefined : await copyOfGrant(previousId, ctx, grants);
    if (copy !== undefined || !isOwnPage(client)) return copy;
    const isFresh = previousId === undefined || oidc.result?.login !== undefined;
    return isFresh ? grantOfPage(ctx, grants) : undefined;
  });
}

/**
 * Whether the last sign-in of the platform's page in this browser was ended, by signing out or
 * disconnecting: then the browser alone signs nobody in, the password is asked for again.
 */
export async function isPageSignInEnded({ oidc }: KoaContextWithOIDC): Promise<boolean> {
  const { client, session } = oidc;
  if (!client || !isOwnPage(client) || oidc.result?.login !== undefined) return false;
  const previousId = session?.grantIdFor(client.clientId);
  if (previousId === undefined) return false;
  const previous = await oidc.provider.Grant.find(previousId);
  return previous === undefined || previous.accountId !== session?.accountId;
}

/**
 * What the page does is what the person does there, so nothing is to be allowed. Undefined: the
 * person has a workspace to choose.
 */
async function grantOfPage(
  ctx: KoaContextWithOIDC,
  grants: GrantStore,
): Promise<Grant | undefined> {
  const accountId = ctx.oidc.account?.accountId;
  const workspace = accountId && (await grants.onlyWorkspace(accountId));
  if (!workspace) return undefined;
  const { grant, consent } = requestedGrant(ctx);
  await grants.describe(await grant.save(), workspace, consent);
  return grant;
}

async function copyOfGrant(
  previousId: string,
  ctx: KoaContextWithOIDC,
  { describeCopy }: GrantStore,
): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const { Grant } = oidc.provider;
  const previous = await Grant.find(previousId);
  const clientId = oidc.client?.clientId;
  const accountId = oidc.account?.accountId;
  if (previous?.clientId !== clientId || previous?.accountId !== accountId) return undefined;
  if (!previous || !covers(previous, ctx)) return undefined;
  if (oidc.client && isOwnPage(oidc.client)) return prolonged(previous);
  const { grant: copy, consent } = requestedGrant(ctx);
  await describeCopy(previous.jti, await copy.save(), consent);
  return copy;
}

/** The tabs of a browser have one grant of the page: signing out of one ends all. */
async function prolonged(grant: Grant): Promise<Grant> {
  // Without an end it gets that of a new one.
  grant.exp = undefined;
  await grant.save();
  return grant;
}

/** For all that the request asks for. */
function requestedGrant({ oidc }: KoaContextWithOIDC) {
  const { client } = oidc;
  if (!client) throw new Error('A request without a client gets no grant.');
  const ids = { clientId: client.clientId, accountId: oidc.account?.accountId };
  const grant = new oidc.provider.Grant(ids);
  grant.addOIDCScope(oidc.requestParamOIDCScopes);
  const resources = Object.keys(oidc.resourceServers ?? {});
  for (const resource of resources) grant.addResourceScope(resource, oidc.requestParamScopes);
  const scopes = [...oidc.requestParamScopes];
  const consent = consentTo(client, String(oidc.params?.redirect_uri), { scopes, resources });
  return { grant, consent };
}

function covers(previous: Grant, { oidc }: KoaContextWithOIDC): boolean {
  const has = (granted: string, wanted: ReadonlySet<string>) => {
    const names = new Set(granted.split(' '));
    return [...wanted].every((name) => names.has(name));
  };
  return (
    has(previous.getOIDCScope(), oidc.requestParamOIDCScopes) &&
    Object.keys(oidc.resourceServers ?? {}).every((resource) =>
      has(previous.getResourceScope(resource), oidc.requestParamScopes),
    )
  );
}
