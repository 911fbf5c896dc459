// POST /oauth/revoke (RFC 7009); the holder of a token may revoke it without client credentials.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BrowserSessions } from './browser-sessions.ts';
import { formMembers, readOAuthBody, replayRequest } from './form-body.ts';
import type { Providers } from './provider.ts';
import { hashId } from './row-encryption.ts';
import type { AuthorizationStore } from './store/authorization-store.ts';

const tokenKinds = ['AccessToken', 'RefreshToken'] as const;

/**
 * A token alone revokes its whole sign-in; one of the platform's page signs the browser out too. A
 * request with client credentials is answered by the library, and revokes only tokens of that
 * client.
 */
export async function answerRevocation(
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: {
    readonly providers: Providers;
    readonly authorizations: AuthorizationStore;
    readonly browsers: Pick<BrowserSessions, 'endOfPage'>;
  },
): Promise<void> {
  const body = await readOAuthBody(request, response);
  if (body === undefined) return;
  request.headers.accept = 'application/json';
  const form = formMembers(request, body);
  const [token, ...others] = form.getAll('token');
  const isAlone =
    request.headers.authorization === undefined &&
    !form.has('client_id') &&
    !form.has('client_secret') &&
    !form.has('client_assertion');
  if (!isAlone || !token || others.length > 0) {
    await dependencies.providers.answer(replayRequest(request, body), response);
    return;
  }
  // Else the next person at that browser would be signed in as this one.
  await dependencies.browsers.endOfPage(token);
  for (const kind of tokenKinds) {
    await dependencies.authorizations.revokeGrantOf(hashId(kind, token));
  }
  response.writeHead(200, { 'cache-control': 'no-store', 'content-length': 0 }).end();
}
