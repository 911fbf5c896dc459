// Verifies access tokens; the platform and MCP servers do so on every call.

import type { Clock } from '../clock.ts';
import type { AccessToken, VerifyAccessToken } from '../contract/access-token.ts';
import { hashGrantId, payloadOf } from './oidc-adapter.ts';
import { hashId } from './row-encryption.ts';
import type { AuthorizationStore } from './store/authorization-store.ts';
import type { UserServices } from './user-services.ts';

export interface VerifyDependencies {
  readonly authorizations: AuthorizationStore;
  readonly users: Pick<UserServices, 'accounts' | 'workspacesOf'>;
  readonly clock: Clock;
  /** Whether a client is still registered; always true for metadata documents. */
  isKnownClient(id: string): Promise<boolean>;
  /** Whether the resource still exists: tokens of a removed MCP server become invalid. */
  isKnownAudience(audience: string): Promise<boolean>;
}

/**
 * A token is valid until it or its grant ends. The grant is read every time, so that a token issued
 * while its grant was revoked is invalid.
 */
export function createAccessTokenVerifier({
  authorizations,
  users,
  clock,
  isKnownClient,
  isKnownAudience,
}: VerifyDependencies): VerifyAccessToken {
  return async (secret): Promise<AccessToken | undefined> => {
    const now = Math.floor(clock.now() / 1_000);
    const id = secret.reveal();
    const row = await authorizations.find(hashId('AccessToken', id));
    if (row === undefined || row.expires <= now) return undefined;
    const { accountId, clientId, grantId, scope, aud, exp } = payloadOf(id, row) ?? {};
    if (!accountId || !clientId || !grantId || exp === undefined || exp <= now) return undefined;
    const grant = await authorizations.find(hashGrantId(grantId));
    if (grant === undefined || grant.expires <= now) return undefined;
    const account = await users.accounts.find(accountId);
    if (account === undefined || !(await isKnownClient(clientId))) return undefined;
    const audience = typeof aud === 'string' ? aud : aud?.[0];
    if (audience !== undefined && !(await isKnownAudience(audience))) return undefined;
    const workspaces = users.workspacesOf(account);
    const workspace = grant.workspace ?? workspaces[0];
    if (workspace === undefined || !workspaces.includes(workspace)) return undefined;
    return {
      subject: accountId,
      clientId,
      workspace,
      scopes: new Set((scope ?? '').split(' ').filter(Boolean)),
      audience,
      expiresAt: exp * 1_000,
    };
  };
}
