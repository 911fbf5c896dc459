// One grant per sign-in, so that signing out of one program does not sign out another.

import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { consentTo, isLocalProgram } from './client-identity.ts';
import type { Consent } from './store/connection-store.ts';

export interface GrantStore {
  /** Runs `work` in one transaction: all that it stores is stored, or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Of a new grant, which takes the workspace of an earlier one. */
  describeCopy(from: string, to: string, consent: Consent): Promise<void>;
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
  if (previousId === undefined) return undefined;
  if (oidc.promptPending('consent') || oidc.promptPending('login')) return undefined;
  return grants.transaction(() => copyOfGrant(previousId, ctx, grants));
}

async function copyOfGrant(
  previousId: string,
  ctx: KoaContextWithOIDC,
  { describeCopy }: GrantStore,
): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const { Grant } = oidc.provider;
  const previous = await Grant.find(previousId);
  const { client } = oidc;
  const clientId = client?.clientId;
  const accountId = oidc.account?.accountId;
  if (previous?.clientId !== clientId || previous?.accountId !== accountId) return undefined;
  if (!previous || !client || !covers(previous, ctx)) return undefined;
  const copy = new Grant({ clientId, accountId });
  copy.addOIDCScope(oidc.requestParamOIDCScopes);
  const resources = Object.keys(oidc.resourceServers ?? {});
  for (const resource of resources) copy.addResourceScope(resource, oidc.requestParamScopes);
  const scopes = [...oidc.requestParamScopes];
  const consent = consentTo(client, String(oidc.params?.redirect_uri), { scopes, resources });
  await describeCopy(previous.jti, await copy.save(), consent);
  return copy;
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
