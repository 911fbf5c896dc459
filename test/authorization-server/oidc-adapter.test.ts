// The library's storage in SQLite: what it promises, and what its file tells a thief.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { seal, unseal } from '../../src/authorization-server/row-encryption.ts';
import { openSignInDatabase } from '../../src/authorization-server/sign-in-database.ts';
import {
  authorizationUrl,
  person,
  postForm,
  refresh,
  signedIn,
  startTestAuthorizationServer,
} from '../fixtures/authorization-server.ts';
import { openFormBrowser } from '../fixtures/form-browser.ts';
import { adapterOver, judgeAdapter } from './oidc-adapter-suite.ts';

judgeAdapter(async () => {
  const folder = join(tmpdir(), `fovea-adapter-${process.pid}-${Math.random()}`);
  const file = await openSignInDatabase(folder, undefined);
  onTestFinished(async () => {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  });
  return adapterOver(file);
});

test('what is sealed opens under its own id and purpose alone, and unchanged', () => {
  const sealed = seal('the text', 'id', 'payload');
  expect(sealed).not.toBe(seal('the text', 'id', 'payload'));
  expect(unseal(sealed, 'id', 'payload')).toBe('the text');
  const damaged = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`;
  for (const [value, id, purpose] of [
    [sealed, 'other', 'payload'],
    [sealed, 'id', 'successor'],
    [damaged, 'id', 'payload'],
    ['', 'id', 'payload'],
  ] as const) {
    expect(() => unseal(value, id, purpose)).toThrow('A row of the sign-in database is damaged.');
  }
});

test('no file of the service holds an id, code, token, cookie, secret or password', async () => {
  const service = await startTestAuthorizationServer();
  onTestFinished(service.close);
  const application = service.applications.post;
  const browser = openFormBrowser();
  const proof = authorizationUrl(service, application, { nonce: 'a-nonce-of-the-client' });
  const first = await browser.get(proof.url);
  const interaction = browser.cookies().get(`fovea_interaction_${new URL(service.url).port}`) ?? '';
  expect(first.next?.pathname).toBe(`/oauth/sign-in/${interaction}`);
  const final = await service.agree(proof.url, browser);
  const code = final.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', redirect_uri: application.redirectUri };
  const fields = { ...grant, code, code_verifier: proof.verifier };
  const tokens = signedIn(await postForm(`${service.url}/oauth/token`, application, fields));
  const next = signedIn(await refresh(service, application, tokens.refreshToken));
  const waiting = authorizationUrl(service, service.applications.public);
  await browser.get(waiting.url);
  const secrets = [
    code,
    proof.verifier,
    proof.state,
    'a-nonce-of-the-client',
    interaction,
    tokens.accessToken,
    tokens.refreshToken,
    next.accessToken,
    next.refreshToken,
    tokens.idToken,
    application.secret ?? '',
    person.password,
    waiting.state,
    ...browser.cookies().values(),
  ];
  expect(secrets.length).toBeGreaterThan(15);
  const entries = readdirSync(service.data, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain('sign-in.db');
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name)).toString('latin1');
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(bytes.includes(secret), `${name} holds ${secret}`).toBe(false);
    }
  }
  expect(statSync(join(service.data, 'sign-in.db')).mode & 0o777).toBe(0o600);
});
