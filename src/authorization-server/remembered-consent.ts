// One grant per sign-in, so that signing out of one program does not sign out another.

import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { hasLoopbackHost } from './application-validation.ts';

/**
 * The grant of a request that needs no consent page: the one the user just consented to, or a copy
 * of one from this browser that covers all requested scopes. Undefined: show the consent page.
 */
export async function grantForRequest(
  ctx: KoaContextWithOIDC,
  copyWorkspace: (from: string, to: string) => void,
): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const { Grant } = oidc.provider;
  const consented = oidc.result?.consent?.grantId;
  if (consented !== undefined) return Grant.find(consented);
  const { client, session, account } = oidc;
  if (!client || !session || !account) return undefined;
  // Local programs cannot prove who they are, so they always need consent.
  if (client.applicationType === 'native') return undefined;
  if (hasLoopbackHost(oidc.params?.redirect_uri)) return undefined;
  const previousId = session.grantIdFor(client.clientId);
  const previous = previousId === undefined ? undefined : await Grant.find(previousId);
  if (!previous || previous.accountId !== account.accountId) return undefined;
  if (previous.clientId !== client.clientId || !covers(previous, ctx)) return undefined;
  if (oidc.promptPending('consent') || oidc.promptPending('login')) return undefined;
  const copy = new Grant({ clientId: client.clientId, accountId: account.accountId });
  copy.addOIDCScope(oidc.requestParamOIDCScopes);
  for (const resource of Object.keys(oidc.resourceServers ?? {})) {
    copy.addResourceScope(resource, oidc.requestParamScopes);
  }
  copyWorkspace(previous.jti, await copy.save());
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
