// Reads the claims of the signed-in person from the userinfo endpoint.

import { processUserInfoResponse, skipSubjectCheck, userInfoRequest } from 'oauth4webapi';
import { FoveaError } from '../errors.ts';
import { withRenewal } from '../network/retry.ts';
import type { Secret } from '../secret.ts';
import type { OAuthClient } from './oauth-client.ts';
import { oauthError } from './oauth-error.ts';
import type { Session } from './session.ts';

/** Claims of the signed-in person only. A refused token is renewed once. */
export async function readUserinfo(
  client: OAuthClient,
  session: Session,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const token = await session.accessToken(signal);
  if (token === undefined) throw signedOut();
  const read = async (token: Secret) =>
    requestUserinfo(client, token, await session.subject(signal), signal);
  return withRenewal(token, read, (refused) => session.renew(refused, signal));
}

/**
 * OpenID Connect Core section 5.3. `subject` is whose tokens these are, where that is known: claims
 * of another person are refused. Throws `unauthenticated`, `forbidden` or `not_implemented`.
 */
async function requestUserinfo(
  client: OAuthClient,
  token: Secret,
  subject: string | undefined,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const server = await client.server();
  if (server.userinfo_endpoint === undefined) {
    throw new FoveaError('not_implemented', 'This authorization server tells nothing of people.');
  }
  const { identity } = client;
  try {
    const response = await userInfoRequest(
      server,
      identity,
      token.reveal(),
      client.options(signal),
    );
    const expected = subject ?? skipSubjectCheck;
    return { ...(await processUserInfoResponse(server, identity, expected, response)) };
  } catch (thrown) {
    throw oauthError(thrown, 'resource');
  }
}

function signedOut(): FoveaError {
  return new FoveaError('unauthenticated', 'Nobody is signed in.', {
    hint: 'Call auth_sign_in, or run: fovea sign-in.',
  });
}
