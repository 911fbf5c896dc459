// What an access token is good for: asked by the platform and by MCP servers for every call.

import type { Clock } from '../clock.ts';
import type { AccessToken, VerifyAccessToken } from '../contract/access-token.ts';
import { hashOfGrant, payloadOf } from './adapter.ts';
import type { People } from './people.ts';
import { hashId } from './sealed.ts';
import type { Rows } from './store/store.ts';

export interface VerifyParts {
  readonly rows: Rows;
  readonly people: Pick<People, 'accounts' | 'workspacesOf'>;
  readonly clock: Clock;
  /** Whether an application is still registered; always for one that a document describes. */
  isKnownClient(id: string): boolean;
  /** Whether tokens may still be asked for it: those of a removed MCP server end with it. */
  isKnownAudience(audience: string): boolean;
}

/**
 * A token is good until it ends, or its sign-in does: the grant is looked at each time, so that a
 * token that was made while its sign-in was revoked is worth nothing.
 */
export function createVerify({
  rows,
  people,
  clock,
  isKnownClient,
  isKnownAudience,
}: VerifyParts): VerifyAccessToken {
  return async (secret): Promise<AccessToken | undefined> => {
    const now = Math.floor(clock.now() / 1_000);
    const id = secret.reveal();
    const row = rows.find(hashId('AccessToken', id));
    if (row === undefined || row.expires <= now) return undefined;
    const { accountId, clientId, grantId, scope, aud, exp } = payloadOf(id, row) ?? {};
    if (!accountId || !clientId || !grantId || exp === undefined || exp <= now) return undefined;
    const grant = rows.find(hashOfGrant(grantId));
    if (grant === undefined || grant.expires <= now) return undefined;
    const account = people.accounts.find(accountId);
    if (account === undefined || !isKnownClient(clientId)) return undefined;
    const audience = typeof aud === 'string' ? aud : aud?.[0];
    if (audience !== undefined && !isKnownAudience(audience)) return undefined;
    const workspaces = people.workspacesOf(account);
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
