// Refreshing: once for all who need it, never in a loop, and nothing that a sibling wrote is lost.

import { describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';
import type { SessionOptions } from '../../src/sign-in/session.ts';
import { EndedGrant } from '../../src/sign-in/token-refresh.ts';
import {
  ended,
  fakeKeychain,
  hour,
  noon,
  openSession,
  type Parts,
  parts,
  reveal,
  tokensOf,
} from './test-session.ts';

describe('one refresh', () => {
  test('for 50 calls of one process and 50 of each of 3 siblings', async () => {
    const all = await parts();
    const sessions = [openSession(all), openSession(all), openSession(all), openSession(all)];
    await sessions[0]?.begin(tokensOf('1'));
    all.clock.advance(hour);
    const calls = sessions.flatMap((session) =>
      Array.from({ length: 50 }, () => reveal(session.accessToken())),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['access-2']));
    expect(all.server.seen).toEqual(['refresh-1']);
  });

  test('for 50 calls that were refused, in each of 4 processes', async () => {
    const all = await parts();
    const sessions = [openSession(all), openSession(all), openSession(all), openSession(all)];
    await sessions[0]?.begin(tokensOf('1'));
    const refused = new Secret('access-1');
    const calls = sessions.flatMap((session) =>
      Array.from({ length: 50 }, () => reveal(session.renew(refused))),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['access-2']));
    expect(all.server.seen).toEqual(['refresh-1']);
  });

  test('for 50 calls asks the keychain as often as for one', async () => {
    const all = await parts();
    const { entries, state } = fakeKeychain();
    const store = { keychain: entries };
    await openSession(all, { store }).begin(tokensOf('1'));
    all.clock.advance(hour);
    const session = openSession(all, { store });
    state.calls = 0;
    const calls = Array.from({ length: 50 }, () => reveal(session.accessToken()));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['access-2']));
    await session.accessToken();
    // Read before the lock, read under it, read for the swap, and the write: its head, its value.
    expect(state.calls).toBe(5);
  });

  test('a caller that gives up ends its own wait alone', async () => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1'));
    all.clock.advance(hour);
    const gate = Promise.withResolvers<void>();
    all.server.hold(gate.promise);
    const controller = new AbortController();
    const first = session.accessToken(controller.signal);
    const second = session.accessToken();
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    gate.resolve();
    expect(await reveal(second)).toBe('access-2');
    await expect(session.accessToken(AbortSignal.abort())).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  test('a process that ends waits for it: its answer is kept', async () => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1'));
    all.clock.advance(hour);
    const gate = Promise.withResolvers<void>();
    all.server.hold(gate.promise);
    const call = session.accessToken();
    while (all.server.seen.length === 0) await new Promise(setImmediate);
    const settled = session.settled();
    gate.resolve();
    await settled;
    expect((await openSession(all).status()).expiresAt).toBe(noon + 2 * hour);
    await call;
  });

  test('a token that a sibling refreshed is taken over without a request', async () => {
    const all = await parts();
    const [first, second] = [openSession(all), openSession(all)];
    await first.begin(tokensOf('1'));
    expect(await reveal(second.accessToken())).toBe('access-1');
    all.clock.advance(hour);
    expect(await reveal(first.accessToken())).toBe('access-2');
    expect(await reveal(second.renew(new Secret('access-1')))).toBe('access-2');
    expect(await reveal(second.accessToken())).toBe('access-2');
    expect(all.server.seen).toEqual(['refresh-1']);
  });
});

describe('a refresh that fails', () => {
  const failing = () => {
    const state = { calls: 0, isBroken: true };
    const refresh = (server: Parts['server']): SessionOptions['refresh'] => {
      return async (tokens) => {
        state.calls++;
        if (state.isBroken) throw new FoveaError('unreachable', 'The service is down.');
        return server.refresh(tokens);
      };
    };
    return { state, refresh };
  };

  test('is no error while the token works, and is not repeated with every call', async () => {
    const all = await parts();
    const { state, refresh } = failing();
    const session = openSession(all, { refresh: refresh(all.server) });
    await session.begin(tokensOf('1'));
    all.clock.advance(hour - 200_000);
    for (let call = 0; call < 5; call++) {
      expect(await reveal(session.accessToken())).toBe('access-1');
    }
    expect(state.calls).toBe(1);
    all.clock.advance(30_000);
    expect(await reveal(session.accessToken())).toBe('access-1');
    expect(state.calls).toBe(2);
    state.isBroken = false;
    all.clock.advance(30_000);
    expect(await reveal(session.accessToken())).toBe('access-2');
  });

  test('is its own error once the token has ended, and the login survives', async () => {
    const all = await parts();
    const { state, refresh } = failing();
    const session = openSession(all, { refresh: refresh(all.server) });
    await session.begin(tokensOf('1'));
    all.clock.advance(hour);
    const down = { code: 'unreachable', message: 'The service is down.' };
    await expect(session.accessToken()).rejects.toMatchObject(down);
    expect((await session.status()).status).toBe('signed_in');
    state.isBroken = false;
    expect(await reveal(session.accessToken())).toBe('access-2');
  });

  test('with invalid_grant: one clear error for all, and no further request', async () => {
    const all = await parts();
    const sessions = [openSession(all), openSession(all)];
    await sessions[0]?.begin(tokensOf('1'));
    all.server.endFamily();
    all.clock.advance(hour);
    for (const session of sessions) {
      const calls = await Promise.allSettled(
        Array.from({ length: 50 }, () => session.accessToken()),
      );
      for (const call of calls) expect(call).toMatchObject({ status: 'rejected', reason: ended });
    }
    await expect(sessions[1]?.renew(new Secret('access-1'))).rejects.toMatchObject(ended);
    await expect(openSession(all).accessToken()).rejects.toMatchObject(ended);
    expect(all.server.seen).toEqual(['refresh-1']);
    expect(await openSession(all).status()).toMatchObject({
      status: 'signed_out',
      error: 'The sign-in has ended.',
    });
  });

  test('with invalid_grant before the end: the token is used to its end', async () => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1'));
    all.server.endFamily();
    all.clock.advance(hour - 100_000);
    expect(await reveal(session.accessToken())).toBe('access-1');
    expect(await session.status()).toMatchObject({
      status: 'signed_in',
      error: 'It cannot be renewed: sign in again when it ends.',
    });
    all.clock.advance(100_000);
    await expect(session.accessToken()).rejects.toMatchObject(ended);
    expect(all.server.seen).toEqual(['refresh-1']);
  });

  test('a new sign-in brings an ended one back, in every process', async () => {
    const all = await parts();
    const [first, second] = [openSession(all), openSession(all)];
    await first.begin(tokensOf('1'));
    all.server.endFamily();
    all.clock.advance(hour);
    await expect(first.accessToken()).rejects.toMatchObject(ended);
    await expect(second.accessToken()).rejects.toMatchObject(ended);
    await first.begin(tokensOf('new', { expiresAt: all.clock.now() + hour }));
    expect(await reveal(second.accessToken())).toBe('access-new');
  });

  test('a loser erases nothing: a sibling that signed in meanwhile keeps its tokens', async () => {
    const all = await parts();
    // Without the lock, as a process of another machine on a shared home, or an older release.
    const loose = openSession(all, { takeLock: () => ({ release: () => undefined }) });
    await loose.begin(tokensOf('1'));
    all.clock.advance(hour);
    const gate = Promise.withResolvers<void>();
    const refresh = async () => {
      await gate.promise;
      throw new EndedGrant('spent');
    };
    const loser = openSession(all, { refresh, takeLock: () => ({ release: () => undefined }) });
    const call = loser.accessToken();
    await loose.begin(tokensOf('theirs', { expiresAt: all.clock.now() + hour }));
    gate.resolve();
    expect(await reveal(call)).toBe('access-theirs');
    expect(await reveal(openSession(all).accessToken())).toBe('access-theirs');
  });
});

describe('after a 401', () => {
  test('a token that was renewed and is refused as well is not renewed again at once', async () => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1'));
    expect(await reveal(session.renew(new Secret('access-1')))).toBe('access-2');
    expect(await session.renew(new Secret('access-2'))).toBe(undefined);
    expect(all.server.seen).toEqual(['refresh-1']);
    all.clock.advance(30_000);
    expect(await reveal(session.renew(new Secret('access-2')))).toBe('access-3');
  });

  test('a late 401 for an older token costs no refresh', async () => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1'));
    expect(await reveal(session.renew(new Secret('access-1')))).toBe('access-2');
    expect(await reveal(session.renew(new Secret('access-1')))).toBe('access-2');
    expect(all.server.seen).toEqual(['refresh-1']);
  });

  test('one that comes during a refresh for another reason shares it', async () => {
    const all = await parts();
    const session = openSession(all);
    await session.begin(tokensOf('1'));
    all.clock.advance(hour - 60_000);
    const gate = Promise.withResolvers<void>();
    all.server.hold(gate.promise);
    const early = session.accessToken();
    while (all.server.seen.length === 0) await new Promise(setImmediate);
    const renewed = session.renew(new Secret('access-1'));
    gate.resolve();
    expect(await Promise.all([reveal(early), reveal(renewed)])).toEqual(['access-2', 'access-2']);
    expect(all.server.seen).toEqual(['refresh-1']);
  });
});
