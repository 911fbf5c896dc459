// After a service has ended a grant: auth_sign_in begins anew, however the end showed itself.

import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { lyingServer } from './lying-server.ts';
import { hour, openSession, parts, type SessionChanges, tokensOf } from './test-session.ts';
import { flowFor } from './test-sign-in-flow.ts';

const inactive = { active: false, exp: null, workspace_url: '', scopes: [] };

/** A sign-in of an hour, and the flow that would start another one. */
async function signedIn(changes: SessionChanges = {}, tokens = tokensOf('1')) {
  const all = await parts();
  const session = openSession(all, changes);
  await session.begin(tokens);
  const { flow } = flowFor(await lyingServer(), { session });
  return { ...all, session, flow };
}

const anew = { status: 'pending', isNew: true };

describe('a new sign-in begins', () => {
  test('where the service says that the token is revoked, and renews it no more', async () => {
    const { server, flow } = await signedIn({ validate: async () => inactive });
    server.endFamily();
    expect(await flow.status()).toMatchObject({ status: 'signed_out' });
    expect(await flow.start()).toMatchObject(anew);
    expect(await flow.status()).toMatchObject({ status: 'pending' });
  });

  test('where only the 401 of a call has told it', async () => {
    const { server, session, flow } = await signedIn();
    server.endFamily();
    await expect(session.renew(new Secret('access-1'))).rejects.toThrow('The sign-in has ended.');
    expect(await flow.start()).toMatchObject(anew);
    expect(await flow.status()).toMatchObject({ status: 'pending' });
  });

  test('where a refused token cannot be renewed', async () => {
    const only = tokensOf('1', { refreshToken: undefined });
    const { session, flow } = await signedIn({}, only);
    expect(await flow.start()).toMatchObject({ status: 'signed_in' });
    await expect(session.renew(new Secret('access-1'))).rejects.toThrow('The sign-in has ended.');
    expect(await flow.status()).toMatchObject({
      status: 'signed_in',
      error: 'A call with it was refused: sign in again.',
    });
    expect(await flow.start()).toMatchObject(anew);
  });

  test('where the renewed token is refused as well', async () => {
    const { session, flow } = await signedIn();
    await session.renew(new Secret('access-1'));
    expect(await flow.start()).toMatchObject({ status: 'signed_in' });
    expect(await session.renew(new Secret('access-2'))).toBe(undefined);
    expect(await flow.start()).toMatchObject(anew);
  });

  test('where it can be renewed no more, before it ends', async () => {
    const { server, clock, session, flow } = await signedIn();
    server.endFamily();
    clock.advance(hour - 100_000);
    expect((await session.accessToken())?.reveal()).toBe('access-1');
    expect(await flow.start()).toMatchObject(anew);
  });
});

test('after the new sign-in nothing of the old one counts', async () => {
  const { server, session, flow } = await signedIn();
  server.endFamily();
  await expect(session.renew(new Secret('access-1'))).rejects.toThrow('The sign-in has ended.');
  await session.begin(tokensOf('new'));
  expect(await flow.status()).toMatchObject({ status: 'signed_in', error: undefined });
  expect(await flow.start()).toEqual({ status: 'signed_in', workspaceUrl: 'acme', why: 'tokens' });
});
