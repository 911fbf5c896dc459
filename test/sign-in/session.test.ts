// The session: a token that is good for now, signing out, and what its status says.

import { describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';
import type { SessionOptions } from '../../src/sign-in/session.ts';
import { lyingServer } from './lying-server.ts';
import {
  ended,
  fakeKeychain,
  hour,
  noon,
  openSession,
  parts,
  reveal,
  tokensOf,
} from './test-session.ts';
import { flowFor } from './test-sign-in-flow.ts';

describe('a token that is good for now', () => {
  test('without a sign-in there is none, and nobody is asked', async () => {
    const all = await parts();
    const session = openSession(all);
    expect(await session.accessToken()).toBe(undefined);
    expect(await session.renew(new Secret('made up'))).toBe(undefined);
    expect(all.server.seen).toEqual([]);
  });

  test.each([
    ['an hour, long before', hour, hour - 301_000, 'access-1'],
    ['an hour, five minutes before', hour, hour - 300_000, 'access-2'],
    ['an hour, after it', hour, hour + 1, 'access-2'],
    ['ten minutes, at 89 %', 600_000, 539_999, 'access-1'],
    ['ten minutes, at 90 %', 600_000, 540_000, 'access-2'],
    ['a day, five minutes before', 24 * hour, 24 * hour - 300_000, 'access-2'],
    ['ended before it came', -1, 0, 'access-2'],
  ])('lifetime %s', async (_, lifetimeMs, passedMs, expected) => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1', { expiresAt: noon + lifetimeMs }));
    all.clock.advance(passedMs);
    expect(await reveal(session.accessToken())).toBe(expected);
    expect(all.server.seen).toEqual(expected === 'access-1' ? [] : ['refresh-1']);
  });

  test('one whose end nobody knows is used until it is refused', async () => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1', { expiresAt: undefined }));
    all.clock.advance(1_000 * hour);
    expect(await reveal(session.accessToken())).toBe('access-1');
    expect(await reveal(session.renew(new Secret('access-1')))).toBe('access-2');
  });

  test('one without a refresh token is used to its end, then a sign-in is asked for', async () => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1', { refreshToken: undefined }));
    all.clock.advance(hour - 1);
    expect(await reveal(session.accessToken())).toBe('access-1');
    all.clock.advance(1);
    await expect(session.accessToken()).rejects.toMatchObject(ended);
    expect((await session.status()).status).toBe('signed_out');
    expect(all.server.seen).toEqual([]);
  });

  test('the person behind it is the one who signed in, also after a refresh', async () => {
    const all = await parts();
    const session = openSession(all);
    expect(await session.subject()).toBe(undefined);
    await session.begin(tokensOf('1', { subject: 'ada' }));
    all.clock.advance(hour);
    await session.accessToken();
    expect(await session.subject()).toBe('ada');
    expect(await openSession(all).subject()).toBe('ada');
  });

  test('tokens of another issuer or client are not taken', async () => {
    const session = openSession(await parts());
    const evil = tokensOf('1', { issuer: 'https://evil.example' });
    await expect(session.begin(evil)).rejects.toThrow('of another issuer');
    expect(await session.accessToken()).toBe(undefined);
  });

  test('after a change of the issuer in the settings nothing is sent anywhere', async () => {
    const all = await parts();
    await openSession(all).begin(tokensOf('1'));
    all.clock.advance(hour);
    const other = openSession(all, { issuer: 'https://evil.example' });
    expect(await other.accessToken()).toBe(undefined);
    expect(await other.end()).toEqual({ revoked: false, wasSignedIn: false });
    expect(all.server.seen).toEqual([]);
    expect(await reveal(openSession(all).accessToken())).toBe('access-2');
  });
});

describe('signing out', () => {
  test('revokes what is stored and forgets it, in every process', async () => {
    const all = await parts();
    const revoked: string[] = [];
    const revoke: SessionOptions['revoke'] = async ({ accessToken, refreshToken }) => {
      revoked.push(accessToken.reveal(), refreshToken?.reveal() ?? '');
      return true;
    };
    const [first, second] = [openSession(all, { revoke }), openSession(all)];
    await first.begin(tokensOf('1'));
    expect(await reveal(second.accessToken())).toBe('access-1');
    expect(await first.end()).toEqual({ revoked: true, wasSignedIn: true });
    expect(revoked).toEqual(['access-1', 'refresh-1']);
    expect(await second.accessToken()).toBe(undefined);
    expect(await first.end()).toEqual({ revoked: false, wasSignedIn: false });
    expect(revoked).toHaveLength(2);
  });

  test('forgets also where the service cannot be reached, and says so', async () => {
    const all = await parts();
    const revoke = async () => {
      throw new FoveaError('unreachable', 'The service is down.');
    };
    const session = openSession(all, { revoke });
    await session.begin(tokensOf('1'));
    expect(await session.end()).toEqual({ revoked: false, wasSignedIn: true });
    expect(await openSession(all).accessToken()).toBe(undefined);
  });

  test('waits for a refresh, and revokes the tokens that came of it', async () => {
    const all = await parts();
    const revoked: string[] = [];
    const revoke: SessionOptions['revoke'] = async ({ refreshToken }) => {
      revoked.push(refreshToken?.reveal() ?? '');
      return true;
    };
    const [first, second] = [openSession(all), openSession(all, { revoke })];
    await first.begin(tokensOf('1'));
    all.clock.advance(hour);
    const gate = Promise.withResolvers<void>();
    all.server.hold(gate.promise);
    const call = first.accessToken();
    while (all.server.seen.length === 0) await new Promise(setImmediate);
    const end = second.end();
    gate.resolve();
    await call;
    expect(await end).toEqual({ revoked: true, wasSignedIn: true });
    expect(revoked).toEqual(['refresh-2']);
    expect(await first.accessToken()).toBe(undefined);
  });

  test('does nothing while the keychain is locked, and works once it is not', async () => {
    const all = await parts();
    const { entries, state } = fakeKeychain();
    const store = { keychain: entries };
    await openSession(all, { store }).begin(tokensOf('1'));
    state.isLocked = true;
    const session = openSession(all, { store });
    await expect(session.end()).rejects.toThrow('The keychain is locked.');
    await expect(session.status()).rejects.toThrow('The keychain is locked.');
    await expect(session.accessToken()).rejects.toThrow('The keychain is locked.');
    state.isLocked = false;
    expect(await session.end()).toEqual({ revoked: true, wasSignedIn: true });
  });

  test('forgets tokens that are damaged', async () => {
    const all = await parts();
    const { entries, kept } = fakeKeychain();
    const session = openSession(all, { store: { keychain: entries } });
    await session.begin(tokensOf('1'));
    for (const name of kept.keys()) kept.set(name, '=bm90aGluZw==');
    const other = openSession(all, { store: { keychain: entries } });
    await expect(other.accessToken()).rejects.toThrow('damaged or gone');
    expect(await other.end()).toEqual({ revoked: false, wasSignedIn: true });
    expect(await other.accessToken()).toBe(undefined);
    expect([...kept.keys()]).toEqual([]);
  });
});

describe('refreshed tokens that cannot be kept', () => {
  test('are used by this process, and kept once the keychain is open again', async () => {
    const all = await parts();
    const { entries, state } = fakeKeychain();
    const store = { keychain: entries };
    const refresh: SessionOptions['refresh'] = async (tokens) => {
      state.isLocked = true;
      return all.server.refresh(tokens);
    };
    const session = openSession(all, { store, refresh });
    await session.begin(tokensOf('1'));
    all.clock.advance(hour);
    expect(await reveal(session.accessToken())).toBe('access-2');
    expect(await reveal(session.accessToken())).toBe('access-2');
    state.isLocked = false;
    expect((await session.status()).error).toBe(
      'The renewed tokens could not be kept: they end with this process.',
    );
    all.clock.advance(30_000);
    expect(await reveal(session.accessToken())).toBe('access-2');
    expect((await session.status()).error).toBe(undefined);
    expect(await reveal(openSession(all, { store }).accessToken())).toBe('access-2');
    expect(all.server.seen).toEqual(['refresh-1']);
  });
});

describe('status', () => {
  test('names the store, the scopes, the workspace and the end, and keeps what it was told', async () => {
    const all = await parts();
    const exp = (noon + 2 * hour) / 1000;
    const answer = { active: true, exp, workspace_url: 'factory', scopes: ['openid'] };
    const session = openSession(all, { validate: async () => answer });
    await session.begin(tokensOf('1'));
    const told = {
      status: 'signed_in',
      expiresAt: noon + 2 * hour,
      scopes: ['openid'],
      workspaceUrl: 'factory',
      store: 'encrypted file, key beside it',
      profile: 'default',
      error: undefined,
    };
    expect(await session.status()).toEqual(told);
    expect(await openSession(all).status()).toEqual(told);
  });

  test('an end in the past, of a token that is good, is the error of a clock', async () => {
    const all = await parts();
    const exp = (noon - hour) / 1000;
    const answer = { active: true, exp, workspace_url: 'acme', scopes: ['openid', 'project:read'] };
    const session = openSession(all, { validate: async () => answer });
    await session.begin(tokensOf('1'));
    expect((await session.status()).expiresAt).toBe(noon + hour);
  });

  test('what the service leaves empty stays as it was', async () => {
    const all = await parts();
    const answer = { active: true, exp: null, workspace_url: '', scopes: [] };
    const session = openSession(all, { validate: async () => answer });
    await session.begin(tokensOf('1'));
    const kept = {
      expiresAt: noon + hour,
      scopes: ['openid', 'project:read'],
      workspaceUrl: 'acme',
    };
    expect(await session.status()).toMatchObject(kept);
    expect(await openSession(all).status()).toMatchObject(kept);
  });

  test('a token that was revoked elsewhere is renewed where that is possible', async () => {
    const all = await parts();
    const answer = { active: false, exp: null, workspace_url: '', scopes: [] };
    const session = openSession(all, { validate: async () => answer });
    await session.begin(tokensOf('1'));
    expect((await session.status()).status).toBe('signed_in');
    expect(all.server.seen).toEqual(['refresh-1']);
    all.server.endFamily();
    all.clock.advance(30_000);
    expect(await session.status()).toMatchObject({
      status: 'signed_out',
      error: 'The sign-in has ended.',
    });
  });

  test('a service that does not answer changes nothing', async () => {
    const all = await parts();
    const validate = async () => {
      throw new FoveaError('unreachable', 'The service is down.');
    };
    const session = openSession(all, { validate });
    await session.begin(tokensOf('1'));
    expect(await session.status()).toMatchObject({ status: 'signed_in', expiresAt: noon + hour });
  });

  test('a keychain that is locked is told before a person signs in for nothing', async () => {
    const all = await parts();
    const { entries, state } = fakeKeychain();
    state.isLocked = true;
    const session = openSession(all, { store: { keychain: entries } });
    const server = await lyingServer();
    const { flow } = flowFor(server, { session });
    await expect(flow.start()).rejects.toThrow('The keychain is locked.');
    expect((await flow.status().catch((thrown) => thrown)).message).toContain('locked');
    expect(server.received).toEqual([]);
    state.isLocked = false;
    expect(await flow.start()).toMatchObject({ status: 'pending', isNew: true });
  });

  test('signed out, it names where tokens would be, and says nothing is wrong', async () => {
    const all = await parts();
    const { entries } = fakeKeychain();
    expect(await openSession(all, { store: { keychain: entries } }).status()).toEqual({
      status: 'signed_out',
      expiresAt: undefined,
      scopes: [],
      workspaceUrl: undefined,
      store: 'keychain',
      profile: 'default',
      error: undefined,
    });
  });
});
