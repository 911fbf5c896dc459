// Asks the service about a token and the person behind it.

import { processUserInfoResponse, skipSubjectCheck, userInfoRequest } from 'oauth4webapi';
import { type ValidateAnswer, validateAnswer } from '../contract/access-token.ts';
import { FoveaError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { OAuthClient } from './oauth-client.ts';
import { oauthError } from './oauth-error.ts';
import { get } from './oauth-requests.ts';
import { readLine, readScopes } from './token-response.ts';

/**
 * GET /oauth/validate (API 24.3, 24.4), with its words made fit for one line. Undefined: this
 * service has no such address, as services other than docs/spec. Throws `upstream_failed` for
 * a server error, and as requests do.
 */
export async function validateToken(
  { issuer, fetch: through }: OAuthClient,
  token: Secret,
  signal?: AbortSignal,
): Promise<ValidateAnswer | undefined> {
  const headers = { authorization: `Bearer ${token.reveal()}` };
  const address = new URL(`${issuer}/oauth/validate`);
  const response = await get(address, headers, signal, through);
  const { status } = response;
  if (status >= 500) {
    throw new FoveaError('upstream_failed', `The service did not validate the token: ${status}.`);
  }
  if (status !== 200) return undefined;
  const text = await response.text();
  try {
    const answer = validateAnswer.parse(JSON.parse(text));
    const workspace = readLine(answer.workspace_url) ?? '';
    const exp = answer.exp !== null && Math.abs(answer.exp) > secondsMax ? null : answer.exp;
    return {
      ...answer,
      exp,
      workspace_url: workspace,
      scopes: readScopes(answer.scopes.join(' ')),
    };
  } catch {
    // A page for people, as some services answer for every address.
    return undefined;
  }
}

/** The last second that a Date can hold. */
const secondsMax = 8_640_000_000_000;

/**
 * OpenID Connect Core section 5.3. `subject` is whose tokens these are, where that is known: claims
 * of another person are refused. Throws `unauthenticated`, `forbidden` or `not_implemented`.
 */
export async function readUserinfo(
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
