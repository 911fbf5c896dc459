// A person who signs in at an application, by the pages of the cluster.

import { setTimeout as wait } from 'node:timers/promises';
import { openAdministration } from '../../src/authorization-server/administration.ts';
import { systemClock } from '../../src/clock.ts';
import type { Secret } from '../../src/secret.ts';
import {
  authorizationUrl,
  postForm,
  signedIn,
  type TestApplication,
  validate,
} from '../../test/fixtures/authorization-server.ts';
import { addCheapAccount } from '../../test/fixtures/fast-password-account.ts';
import { agree, openFormBrowser } from '../../test/fixtures/form-browser.ts';
import { type Caller, pauseMs } from './calls.ts';

/** Of all clients. */
export const workspace = 'acme';

interface Place {
  readonly databaseUrl: Secret;
  /** For files of commands. */
  readonly folder: string;
}

const person = { name: 'Ada', email: 'ada@example.com', password: 'a-password-for-tests' };
const redirectUri = 'http://127.0.0.1:8976/callback';

/** Makes the account and the application. */
export async function openSignIn({ databaseUrl, folder }: Place): Promise<TestApplication> {
  await addCheapAccount(folder, { ...person, workspaces: [workspace] }, databaseUrl);
  const { applications, close } = await openAdministration(folder, systemClock, databaseUrl);
  const { application } = await applications.add(
    {
      name: 'App',
      redirectUris: [redirectUri],
      scopes: [],
      visibility: 'Public',
      desktop: true,
      mcp: false,
      auth: 'none',
    },
    workspace,
  );
  await close();
  return { id: application.id, secret: undefined, auth: 'none', redirectUri };
}

/** From the start again where it is cut or the cluster is away; its token holds everywhere. */
export async function signInOnce(caller: Caller, application: TestApplication): Promise<void> {
  const { sight } = caller;
  for (;;) {
    try {
      const proof = authorizationUrl(caller, application);
      const final = await agree(openFormBrowser(), proof.url, person);
      const answer = await postForm(`${caller.url}/oauth/token`, application, {
        grant_type: 'authorization_code',
        code: final.searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: proof.verifier,
      });
      if (answer.status !== 503) {
        const { accessToken } = signedIn(answer);
        const { status, body } = await validate(caller, accessToken);
        if (status === 200 && body.active !== true) sight.wrong.push('a new token is not active');
        sight.acknowledged += 1;
        return;
      }
      sight.unavailable += 1;
    } catch (thrown) {
      const { message } = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (message.startsWith('No form: 503')) sight.unavailable += 1;
      else if (message === 'fetch failed' || message === 'terminated') sight.cut += 1;
      else return void sight.wrong.push(`a sign-in: ${message.slice(0, 300)}`);
    }
    await wait(pauseMs);
  }
}
