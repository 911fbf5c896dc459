// POST /oauth/revoke with a token alone: whoever has it may end it (API 24.5; RFC 7009).

import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashOfGrant, payloadOf } from './adapter.ts';
import { formMembers, readOAuthBody } from './oauth-body.ts';
import type { Providers } from './provider.ts';
import { replayRequest } from './replay-request.ts';
import { hashId } from './sealed.ts';
import type { Rows } from './store/store.ts';

const tokenKinds = ['AccessToken', 'RefreshToken'] as const;

/**
 * Ends the whole sign-in, whichever of its tokens came. Where a client says who it is the library
 * answers, and only tokens of that client end.
 */
export async function answerRevoke(
  request: IncomingMessage,
  response: ServerResponse,
  parts: { readonly providers: Providers; readonly rows: Rows },
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
    await parts.providers.answer(replayRequest(request, body), response);
    return;
  }
  for (const kind of tokenKinds) revokeFamily(parts.rows, kind, token);
  response.writeHead(200, { 'cache-control': 'no-store', 'content-length': 0 }).end();
}

function revokeFamily(rows: Rows, kind: string, token: string): void {
  const grantId = payloadOf(token, rows.find(hashId(kind, token)))?.grantId;
  if (grantId !== undefined) rows.revokeGrant(hashOfGrant(grantId));
}
