// What the web page knows of accounts: where their people sign in, and what they are called.

import { pageClientId } from '../contract/platform-page.ts';
import { scopes } from '../contract/scopes.ts';
import type { Route } from '../http-server/handlers.ts';
import { sendAnswer } from '../http-server/responses.ts';
import type { Principal } from './access-control/authorization.ts';
import { type People, peopleFor } from './access-control/credential-names.ts';

export interface PageAccounts {
  /** The people who may sign in to a workspace; undefined: there are no accounts here. */
  readonly people: People | undefined;
  /** Address of the sign-in service whose client the page is; undefined: it is none. */
  readonly signInAt: (() => string) | undefined;
}

/**
 * `GET /page/account-sign-in`, open: what an authorization request needs. `GET /page/people`: the
 * credential of who asks, and the names of the people of the workspace by theirs.
 */
export function pageAccountRoutes(accounts: PageAccounts): readonly Route<Principal>[] {
  const { people, signInAt } = accounts;
  return [
    {
      method: 'GET',
      path: '/page/account-sign-in',
      open: true,
      handle: async (_request, response) => {
        const service = signInAt && {
          issuer: signInAt(),
          clientId: pageClientId,
          scope: scopes.join(' '),
        };
        response.setHeader('cache-control', 'no-store');
        sendAnswer(response, 200, { service: service ?? null });
      },
    },
    {
      method: 'GET',
      path: '/page/people',
      handle: async (_request, response, _parameters, principal) => {
        const found = principal && (await peopleFor(people, principal));
        const names = Object.fromEntries(found?.map(({ id, name }) => [`token:${id}`, name]) ?? []);
        response.setHeader('cache-control', 'no-store');
        sendAnswer(response, 200, { names, me: principal?.name });
      },
    },
  ];
}
