// The settings page on which a person changes the password.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asFoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import { Secret } from '../secret.ts';
import { readForm } from './page-form.ts';
import { sendPage } from './page-headers.ts';
import { pageRoute, seeOther } from './page-route.ts';
import { passwordChangedPage, passwordPage } from './pages/password-page.ts';
import { addressOf, checkPassword } from './password-check.ts';
import {
  type CurrentSession,
  currentSession,
  makeToken,
  type SettingsParts,
  useToken,
} from './settings-session.ts';

const path = '/settings/password';
const signInPath = '/settings/sign-in';

/** The page at `/settings/password`. */
export function passwordSettings(parts: SettingsParts): readonly Route[] {
  return [
    pageRoute('GET', path, parts.log, async (request, response) => {
      const session = currentSession(parts, request);
      if (session === undefined) seeOther(response, signInPath);
      else show(parts, response, session);
    }),
    pageRoute('POST', path, parts.log, (request, response) => change(parts, request, response)),
  ];
}

function show(
  parts: SettingsParts,
  response: ServerResponse,
  { account, secret }: CurrentSession,
  problem?: string,
  status = 200,
): void {
  const page = { account, token: makeToken(parts, 'password', secret), problem };
  sendPage(response, status, passwordPage(page));
}

/** Whoever finds a signed-in browser does not know the password, and so cannot change it. */
async function change(
  parts: SettingsParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const session = currentSession(parts, request);
  if (session === undefined) return seeOther(response, signInPath);
  const { account, secret } = session;
  const address = addressOf(request, parts.issuer());
  const { accounts, pageSessions } = parts.people;
  const found = await checkPassword(parts.people, form, address, () =>
    useToken(parts, form, 'password', secret),
  );
  if ('problem' in found) return show(parts, response, session, found.problem, found.status);
  const password = new Secret(form.text('new_password'));
  const isSame = password.reveal() === form.text('again');
  if (found.account.id !== account.id || !isSame) {
    const problem = isSame ? 'This is the password of another account.' : twoDiffer;
    return show(parts, response, session, problem, 400);
  }
  try {
    await accounts.changePassword(account.id, password);
  } catch (thrown) {
    const { code, problems, status } = asFoveaError(thrown);
    if (code !== 'invalid_input') throw thrown;
    const problem = `The new password ${problems[0]?.message}.`;
    return show(parts, response, session, problem, status);
  }
  pageSessions.endOthers(account.id, secret);
  sendPage(response, 200, passwordChangedPage());
}

const twoDiffer = 'The two new passwords are not the same.';
