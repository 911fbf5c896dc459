// The settings page for changing the password.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asFoveaError } from '../errors.ts';
import { clientAddress } from '../http-server/client-address.ts';
import type { Route } from '../http-server/handlers.ts';
import { Secret } from '../secret.ts';
import { checkCredentials, type RefusedCredentials } from './credential-check.ts';
import { pageRoute, seeOther, sendPage } from './page-response.ts';
import { passwordChangedPage, passwordPage } from './pages/password-page.ts';
import { settingsPaths } from './paths.ts';
import { readForm } from './request-body.ts';
import {
  type CurrentSession,
  currentSession,
  makeToken,
  type SettingsDependencies,
  useToken,
} from './settings-cookies.ts';

/** The page at `/settings/password`. */
export function passwordSettings(dependencies: SettingsDependencies): readonly Route[] {
  return [
    pageRoute('GET', settingsPaths.password, dependencies.log, async (request, response) => {
      const session = currentSession(dependencies, request);
      if (session === undefined) seeOther(response, settingsPaths.signIn);
      else showPage(dependencies, response, session);
    }),
    pageRoute('POST', settingsPaths.password, dependencies.log, (request, response) =>
      changePassword(dependencies, request, response),
    ),
  ];
}

function showPage(
  dependencies: SettingsDependencies,
  response: ServerResponse,
  { account, secret }: CurrentSession,
  refused?: Pick<RefusedCredentials, 'problem' | 'headers'> & { readonly status: number },
): void {
  const token = makeToken(dependencies, 'password', secret);
  const page = passwordPage({ account, token, problem: refused?.problem });
  sendPage(response, refused?.status ?? 200, page, refused?.headers);
}

/** Requires the current password, so that a signed-in browser alone is not enough. */
async function changePassword(
  dependencies: SettingsDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await readForm(request);
  const session = currentSession(dependencies, request);
  if (session === undefined) return seeOther(response, settingsPaths.signIn);
  const { account, secret } = session;
  const address = clientAddress(request);
  const { accounts } = dependencies.users;
  const found = await checkCredentials(dependencies.users, form, address, () =>
    useToken(dependencies, form, 'password', secret),
  );
  if ('problem' in found) return showPage(dependencies, response, session, found);
  const password = new Secret(form.text('new_password'));
  const isSame = password.reveal() === form.text('again');
  if (found.account.id !== account.id || !isSame) {
    const problem = isSame ? 'This is the password of another account.' : passwordsDiffer;
    return showPage(dependencies, response, session, { problem, status: 400 });
  }
  try {
    const programs = form.text('sign_out') !== '';
    await accounts.changePassword(account.id, password, { programs, butSession: secret });
  } catch (thrown) {
    const { code, problems, status } = asFoveaError(thrown);
    if (code !== 'invalid_input') throw thrown;
    const problem = `The new password ${problems[0]?.message}.`;
    return showPage(dependencies, response, session, { problem, status });
  }
  sendPage(response, 200, passwordChangedPage());
}

const passwordsDiffer = 'The two new passwords are not the same.';
