// Whose data a token opens: the workspace that was chosen at consent, and no other.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAccountHolder } from './account-holder.ts';
import {
  authorizeUrl,
  type PlatformWithAccounts,
  password,
  redeem,
  refresh,
  startPlatformWithAccounts,
} from './platform-with-accounts.ts';

const scope = 'openid workspace:read project:create project:read';
let platform: PlatformWithAccounts;

beforeAll(async () => {
  platform = await startPlatformWithAccounts();
});

afterAll(() => platform.close());

async function graceIn(workspace: string) {
  const { post } = platform.applications;
  const person = { name: 'grace@example.com', password, workspace };
  const url = authorizeUrl(platform.issuer, post, { scope });
  const final = await platform.browser().agree(url, person);
  return redeem(platform.issuer, post, final.searchParams.get('code') ?? '');
}

function call(path: string, token: unknown, options: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' };
  return fetch(platform.issuer + path, { ...options, headers });
}

test('a token is for the workspace that was chosen, also after a refresh', async () => {
  const { body } = await graceIn('initech');
  const refreshed = await refresh(platform.issuer, platform.applications.post, body.refresh_token);
  for (const token of [body.access_token, refreshed.body.access_token]) {
    expect(await (await call('/', token)).json()).toMatchObject({ workspace: 'initech' });
    expect(await (await call('/oauth/validate', token)).json()).toEqual({
      active: true,
      exp: expect.any(Number),
      workspace_url: 'initech',
      scopes: scope.split(' '),
    });
    expect((await call('/initech', token)).status).toBe(200);
    expect((await call('/acme', token)).status).toBe(403);
  }
});

test('another workspace of the same person is another sign-in', async () => {
  const initech = await graceIn('initech');
  const globex = await graceIn('globex');
  expect((await call('/globex', globex.body.access_token)).status).toBe(200);
  expect((await call('/globex', initech.body.access_token)).status).toBe(403);
  expect((await call('/initech', globex.body.access_token)).status).toBe(403);
});

test('what one person makes, no token and no key of another workspace shows', async () => {
  const { body } = await graceIn('globex');
  const made = await call('/globex/projects', body.access_token, {
    method: 'POST',
    body: JSON.stringify({ name: 'Hidden', type: 'object-detection', annotation: 'things' }),
  });
  expect(made.status).toBe(201);
  const ada = openAccountHolder(platform);
  const { access_token: adas } = await ada.tokensFor(platform.applications.post, { scope });
  for (const credential of [adas, platform.key]) {
    expect((await call('/globex/hidden', credential)).status).toBe(403);
    expect((await call('/acme/hidden', credential)).status).toBe(404);
    expect(await (await call('/acme', credential)).text()).not.toContain('Hidden');
  }
  const { access_token: initech } = (await graceIn('initech')).body;
  expect((await call('/globex/hidden', initech)).status).toBe(403);
});

test('the two people have two identities', async () => {
  const { access_token: graces } = (await graceIn('globex')).body;
  const ada = openAccountHolder(platform);
  const { access_token: adas } = await ada.tokensFor(platform.applications.post);
  const subject = async (token: unknown): Promise<unknown> =>
    Object(await (await call('/oauth/userinfo', token)).json()).sub;
  expect(await subject(adas)).toBe(platform.ada.id);
  expect(await subject(graces)).not.toBe(platform.ada.id);
});
