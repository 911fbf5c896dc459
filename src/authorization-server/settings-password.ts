// The settings page on which a person changes the password.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asFoveaError } from '../errors.ts';
import { clientAddress } from '../http-server/client-address.ts';
import type { Route } from '../http-server/handlers.ts';
import { Secret } from '../secret.ts';
import { readForm } from './page-form.ts';
import { sendPage } from './page-headers.ts';
import { pageRoute, seeOther } from './page-route.ts';
import { passwordChangedPage, passwordPage } from './pages/password-page.ts';
import { checkPassword, type RefusedPassword } from './password-check.ts';
import { settingsPaths } from './paths.ts';
import {
  type CurrentSession,
  currentSession,
  makeToken,
  type SettingsParts,
  useToken,
} from './settings-session.ts';

/** The page at `/settings/password`. */
export function passwordSettings(parts: SettingsParts): readonly Route[] {
  return [
    pageRoute('GET', settingsPaths.password, parts.log, async (request, response) => {
      const session = currentSession(parts, request);
      if (session === undefined) seeOther(response, settingsPaths.signIn);
      else show(parts, response, session);
    }),
    pageRoute('POST', settingsPaths.password, parts.log, (request, response) =>
      change(parts, request, response),
    ),
  ];
}

function show(
  parts: SettingsParts,
  response: ServerResponse,
  { account, secret }: CurrentSession,
  again?: Pick<RefusedPassword, 'problem' | 'headers'> & { readonly status: number },
): void {
  const token = makeToken(parts, 'password', secret);
  const page = passwordPage({ account, token, problem: again?.problem });
  sendPage(response, again?.status ?? 200, page, again?.headers);
}

/** Whoever finds a signed-in browser does not know the password, and so cannot change it. */
async function change(
  parts: SettingsParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const session = currentSession(parts, request);
  if (session === undefined) return seeOther(response, settingsPaths.signIn);
  const { account, secret } = session;
  const address = clientAddress(request);
  const { accounts } = parts.people;
  const found = await checkPassword(parts.people, form, address, () =>
    useToken(parts, form, 'password', secret),
  );
  if ('problem' in found) return show(parts, response, session, found);
  const password = new Secret(form.text('new_password'));
  const isSame = password.reveal() === form.text('again');
  if (found.account.id !== account.id || !isSame) {
    const problem = isSame ? 'This is the password of another account.' : twoDiffer;
    return show(parts, response, session, { problem, status: 400 });
  }
  try {
    const programs = form.text('sign_out') !== '';
    await accounts.changePassword(account.id, password, { programs, butSession: secret });
  } catch (thrown) {
    const { code, problems, status } = asFoveaError(thrown);
    if (code !== 'invalid_input') throw thrown;
    const problem = `The new password ${problems[0]?.message}.`;
    return show(parts, response, session, { problem, status });
  }
  sendPage(response, 200, passwordChangedPage());
}

const twoDiffer = 'The two new passwords are not the same.';
