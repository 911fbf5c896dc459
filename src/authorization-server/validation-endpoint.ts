// GET /oauth/validate: whether a token is valid, and for what (API 24.3, 24.4).

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ValidateAnswer, VerifyAccessToken } from '../contract/access-token.ts';
import { sendAnswer } from '../http-server/responses.ts';
import { Secret } from '../secret.ts';
import { withoutLastSlash } from './application-validation.ts';

const inactive: ValidateAnswer = { active: false, exp: null, workspace_url: '', scopes: [] };

/**
 * Always 200 with the four members. With the query parameter `resource`, a token is active only for
 * that resource, so that an MCP server can refuse tokens for others.
 */
export async function answerValidation(
  request: IncomingMessage,
  response: ServerResponse,
  verify: VerifyAccessToken,
): Promise<void> {
  sendAnswer(response, 200, await answerOf(request, verify));
}

async function answerOf(
  request: IncomingMessage,
  verify: VerifyAccessToken,
): Promise<ValidateAnswer> {
  const headers = request.headersDistinct.authorization ?? [];
  const token = headers.length === 1 ? /^bearer +(\S+) *$/i.exec(headers[0] ?? '')?.[1] : undefined;
  const found = token === undefined ? undefined : await verify(new Secret(token));
  if (found === undefined) return inactive;
  const query = (request.url ?? '').split('?').slice(1).join('?');
  const wanted = new URLSearchParams(query).getAll('resource');
  const isForAll = wanted.every((resource) => withoutLastSlash(resource) === found.audience);
  if (!isForAll) return inactive;
  return {
    active: true,
    exp: Math.floor(found.expiresAt / 1_000),
    workspace_url: found.workspace,
    scopes: [...found.scopes],
  };
}
