// One grant per sign-in, so that signing out of one program ends no sign-in of another.

import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { hasLoopbackHost } from './application-rules.ts';

/**
 * What a request may have without asking: what the person consented to just now, or a copy of what
 * this browser consented to before, where that covers all of it. Undefined: ask.
 */
export async function grantForRequest(
  ctx: KoaContextWithOIDC,
  keepWorkspace: (from: string, to: string) => void,
): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const { Grant } = oidc.provider;
  const consented = oidc.result?.consent?.grantId;
  if (consented !== undefined) return Grant.find(consented);
  const { client, session, account } = oidc;
  if (!client || !session || !account) return undefined;
  // Programs on a person's computer cannot be told from others that use their name: they ask.
  if (client.applicationType === 'native') return undefined;
  if (hasLoopbackHost(oidc.params?.redirect_uri)) return undefined;
  const before = session.grantIdFor(client.clientId);
  const earlier = before === undefined ? undefined : await Grant.find(before);
  if (!earlier || earlier.accountId !== account.accountId) return undefined;
  if (earlier.clientId !== client.clientId || !covers(earlier, ctx)) return undefined;
  if (oidc.promptPending('consent') || oidc.promptPending('login')) return undefined;
  const copy = new Grant({ clientId: client.clientId, accountId: account.accountId });
  copy.addOIDCScope(oidc.requestParamOIDCScopes);
  for (const resource of Object.keys(oidc.resourceServers ?? {})) {
    copy.addResourceScope(resource, oidc.requestParamScopes);
  }
  keepWorkspace(earlier.jti, await copy.save());
  return copy;
}

function covers(earlier: Grant, { oidc }: KoaContextWithOIDC): boolean {
  const has = (granted: string, wanted: ReadonlySet<string>) => {
    const names = new Set(granted.split(' '));
    return [...wanted].every((name) => names.has(name));
  };
  return (
    has(earlier.getOIDCScope(), oidc.requestParamOIDCScopes) &&
    Object.keys(oidc.resourceServers ?? {}).every((resource) =>
      has(earlier.getResourceScope(resource), oidc.requestParamScopes),
    )
  );
}
