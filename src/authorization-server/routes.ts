// All routes of the authorization server.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VerifyAccessToken } from '../contract/access-token.ts';
import type { Route } from '../http-server/handlers.ts';
import { sendAnswer } from '../http-server/responses.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { readOAuthBody, replayRequest } from './form-body.ts';
import { useIssuerHost } from './issuer-host.ts';
import { paths } from './paths.ts';
import type { Providers } from './provider.ts';
import { answerRevocation } from './revocation-endpoint.ts';
import type { AuthorizationStore } from './store/authorization-store.ts';
import { answerValidation } from './validation-endpoint.ts';

/** State once the address is known. */
export interface Opened {
  readonly issuer: URL;
  readonly providers: Providers;
}

export interface RouteDependencies {
  /** Undefined before `open`. */
  opened(): Opened | undefined;
  readonly authorizations: AuthorizationStore;
  readonly browsers: BrowserSessions;
  readonly verify: VerifyAccessToken;
  /** Sign-in, consent and settings pages. */
  readonly pages: readonly Route[];
}

type Method = Route['method'];
type Answer = (request: IncomingMessage, response: ServerResponse, opened: Opened) => Promise<void>;

/** The endpoints of API 24.1 to 24.8, both metadata addresses, and the pages. */
export function signInRoutes(dependencies: RouteDependencies): readonly Route[] {
  const { authorizations, browsers, verify } = dependencies;
  const answers: readonly (readonly [Method, string, Answer])[] = [
    ['GET', paths.authorization, answerAuthorization],
    ['GET', `${paths.authorization}/{uid}`, answerByLibrary],
    ['POST', paths.token, answerForm],
    [
      'POST',
      paths.revocation,
      (request, response, { providers }) =>
        answerRevocation(request, response, { providers, authorizations, browsers }),
    ],
    ['GET', '/oauth/validate', (request, response) => answerValidation(request, response, verify)],
    ['GET', paths.userinfo, answerJson],
    ['GET', '/.well-known/openid-configuration', answerJson],
    ['GET', '/.well-known/oauth-authorization-server', answerJson],
    ['GET', paths.jwks, answerJson],
  ];
  const routes = [
    ...answers.map(([method, path, answer]): Route => route(dependencies, method, path, answer)),
    ...dependencies.pages.map((page) => ({ ...page, handle: whenOpen(dependencies, page) })),
  ];
  return routes;
}

function route(
  dependencies: RouteDependencies,
  method: Method,
  path: string,
  answer: Answer,
): Route {
  return {
    method,
    path,
    open: true,
    handle: async (request, response) => {
      const opened = dependencies.opened();
      if (opened === undefined) return sendNotYet(response);
      response.setHeader('x-content-type-options', 'nosniff');
      response.setHeader('referrer-policy', 'same-origin');
      await answer(request, response, opened);
    },
  };
}

function whenOpen(dependencies: RouteDependencies, page: Route): Route['handle'] {
  return async (request, response, parameters) => {
    const opened = dependencies.opened();
    if (opened === undefined) return sendNotYet(response);
    useIssuerHost(request, opened.issuer);
    await page.handle(request, response, parameters);
  };
}

/**
 * Redirects to the issuer's host, since cookies belong to one host. Not behind a proxy (https),
 * whose Host header the browser never sees.
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

/** Prevents the library from answering errors with HTML pages. */
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
