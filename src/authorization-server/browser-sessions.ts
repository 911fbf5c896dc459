// The sign-in of a browser at this service, as the settings pages and signing out see it. The
// library's own cookie names it.

import type { AdapterPayload } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import { pageClientId } from '../contract/platform-page.ts';
import type { Secret } from '../secret.ts';
import type { Accounts } from './accounts.ts';
import { hashGrantId, payloadOf } from './oidc-adapter.ts';
import { hashId } from './row-encryption.ts';
import type { Account } from './store/account-store.ts';
import type { AuthorizationStore } from './store/authorization-store.ts';

export interface BrowserSessions {
  /** The account that is signed in to the platform's page by this cookie; undefined: none is. */
  accountOnPage(cookie: Secret): Promise<Account | undefined>;
  /** The connection of the platform's page in that browser, by its id; undefined: there is none. */
  connectionOnPage(cookie: Secret): Promise<string | undefined>;
  /** Ends it, and the platform's page in that browser; no effect when it is gone. */
  end(cookie: Secret): Promise<void>;
  /** The same, unless it is of this account. */
  endOfOthers(cookie: Secret, accountId: string): Promise<void>;
  /**
   * The same for the browser of an access token of the page, whose account it gives; no effect for
   * other tokens.
   */
  endOfPage(token: string): Promise<Account | undefined>;
}

type Sessions = Pick<AuthorizationStore, 'find' | 'findByUid' | 'destroy' | 'revokeGrant'>;

export function createBrowserSessions(
  authorizations: Sessions,
  accounts: Pick<Accounts, 'find'>,
  clock: Clock,
): BrowserSessions {
  const sessionOf = async (cookie: Secret) => {
    const row = await authorizations.find(hashId('Session', cookie.reveal()));
    return payloadOf(cookie.reveal(), row);
  };
  const end = async (cookie: Secret) => {
    const session = await sessionOf(cookie);
    if (session === undefined) return;
    const grantId = grantOfPage(session);
    if (grantId !== undefined) await authorizations.revokeGrant(hashGrantId(grantId));
    await authorizations.destroy(hashId('Session', cookie.reveal()));
  };
  return {
    end,
    accountOnPage: async (cookie) => {
      const session = await sessionOf(cookie);
      const grantId = session && grantOfPage(session);
      if (session?.accountId === undefined || grantId === undefined) return undefined;
      const grant = await authorizations.find(hashGrantId(grantId));
      const now = Math.floor(clock.now() / 1_000);
      const isLasting = (session.exp ?? 0) > now && (grant?.expires ?? 0) > now;
      const isTheirs = grant?.accountId === session.accountId;
      return isLasting && isTheirs ? accounts.find(session.accountId) : undefined;
    },
    connectionOnPage: async (cookie) => {
      const session = await sessionOf(cookie);
      const grantId = session && grantOfPage(session);
      return grantId && hashGrantId(grantId);
    },
    endOfOthers: async (cookie, accountId) => {
      const session = await sessionOf(cookie);
      if (session?.accountId !== accountId) await end(cookie);
    },
    endOfPage: async (token) => {
      const row = await authorizations.find(hashId('AccessToken', token));
      const { accountId, clientId, sessionUid, grantId } = payloadOf(token, row) ?? {};
      if (clientId !== pageClientId || grantId === undefined) return undefined;
      await authorizations.revokeGrant(hashGrantId(grantId));
      const session = sessionUid && (await authorizations.findByUid(hashId('uid', sessionUid)));
      if (session) await authorizations.destroy(session.hash);
      return accounts.find(accountId ?? '');
    },
  };
}

/** The last one: its tabs have one grant. */
function grantOfPage({ authorizations }: AdapterPayload): string | undefined {
  return authorizations?.[pageClientId]?.grantId;
}

/** Name of the library's cookie. Cookies ignore ports, so services on one host need other names. */
export function browserCookieName(issuer: string, kind = 'session'): string {
  const { port } = new URL(issuer);
  return `fovea_${kind}${port === '' ? '' : `_${port}`}`;
}
