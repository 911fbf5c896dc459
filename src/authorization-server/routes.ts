// All addresses of the service, exact: whatever else is asked for at them is refused here.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VerifyAccessToken } from '../contract/access-token.ts';
import type { Route } from '../http-server/handlers.ts';
import { sendAnswer } from '../http-server/responses.ts';
import { nameIssuer } from './issuer-name.ts';
import { readOAuthBody } from './oauth-body.ts';
import { paths } from './paths.ts';
import type { Providers } from './provider.ts';
import { replayRequest } from './replay-request.ts';
import { answerRevoke } from './revoke.ts';
import type { Rows } from './store/store.ts';
import { answerValidate } from './validate.ts';

/** A service whose address is known. */
export interface Opened {
  readonly issuer: URL;
  readonly providers: Providers;
}

export interface RouteParts {
  /** Undefined before `open`. */
  opened(): Opened | undefined;
  readonly rows: Rows;
  readonly verify: VerifyAccessToken;
  /** The pages for people. */
  readonly pages: readonly Route[];
}

type Method = Route['method'];
type Answer = (request: IncomingMessage, response: ServerResponse, opened: Opened) => Promise<void>;

/** The endpoints of API 24.1 to 24.8, both addresses of the metadata, and the pages. */
export function signInRoutes(parts: RouteParts): readonly Route[] {
  const { rows, verify } = parts;
  const answers: readonly (readonly [Method, string, Answer])[] = [
    ['GET', paths.authorization, answerAuthorization],
    ['GET', `${paths.authorization}/{uid}`, answerByLibrary],
    ['POST', paths.token, answerForm],
    [
      'POST',
      paths.revocation,
      (request, response, { providers }) => answerRevoke(request, response, { providers, rows }),
    ],
    ['GET', '/oauth/validate', (request, response) => answerValidate(request, response, verify)],
    ['GET', paths.userinfo, answerJson],
    ['GET', '/.well-known/openid-configuration', answerJson],
    ['GET', '/.well-known/oauth-authorization-server', answerJson],
    ['GET', paths.jwks, answerJson],
  ];
  const routes = [
    ...answers.map(([method, path, answer]): Route => route(parts, method, path, answer)),
    ...parts.pages.map((page) => ({ ...page, handle: whenOpen(parts, page) })),
  ];
  return routes;
}

function route(parts: RouteParts, method: Method, path: string, answer: Answer): Route {
  return {
    method,
    path,
    open: true,
    handle: async (request, response) => {
      const opened = parts.opened();
      if (opened === undefined) return sendNotYet(response);
      response.setHeader('x-content-type-options', 'nosniff');
      response.setHeader('referrer-policy', 'same-origin');
      await answer(request, response, opened);
    },
  };
}

function whenOpen(parts: RouteParts, page: Route): Route['handle'] {
  return async (request, response, parameters) => {
    const opened = parts.opened();
    if (opened === undefined) return sendNotYet(response);
    nameIssuer(request, opened.issuer);
    await page.handle(request, response, parameters);
  };
}

/**
 * Cookies are kept per host: a sign-in that begins under another of our names would lose them. A
 * proxy before us may name us as it likes, and a browser never sees that name.
 */
const answerAuthorization: Answer = async (request, response, { issuer, providers }) => {
  const { host } = request.headers;
  if (issuer.protocol === 'http:' && host?.toLowerCase() !== issuer.host) {
    const location = new URL(request.url ?? '', issuer).href;
    response.writeHead(303, { location, 'cache-control': 'no-store' }).end();
    return;
  }
  await providers.answer(request, response);
};

const answerByLibrary: Answer = (request, response, { providers }) =>
  providers.answer(request, response);

/** The library would answer errors as pages where somebody accepts those. */
const answerJson: Answer = (request, response, opened) => {
  request.headers.accept = 'application/json';
  return answerByLibrary(request, response, opened);
};

const answerForm: Answer = async (request, response, opened) => {
  const body = await readOAuthBody(request, response);
  if (body !== undefined) await answerJson(replayRequest(request, body), response, opened);
};

function sendNotYet(response: ServerResponse): void {
  response.setHeader('retry-after', '1');
  sendAnswer(response, 503, {
    error: 'temporarily_unavailable',
    error_description: 'The service is starting.',
  });
}
