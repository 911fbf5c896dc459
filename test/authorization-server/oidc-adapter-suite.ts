// What oidc-provider needs of its storage: the same questions for whatever keeps its rows.

import { type AdapterFactory, errors } from 'oidc-provider';
import { expect, test } from 'vitest';
import { createAdapters } from '../../src/authorization-server/oidc-adapter.ts';
import { createAccountStore } from '../../src/authorization-server/store/account-store.ts';
import { createAuthorizationStore } from '../../src/authorization-server/store/authorization-store.ts';
import { createConnectionStore } from '../../src/authorization-server/store/connection-store.ts';
import type { AsyncDatabase } from '../../src/storage/async-database.ts';

export interface AdapterUnderTest {
  readonly adapters: AdapterFactory;
  /** Names the refresh token that the next `upsert` takes the place of. */
  rotate(old: string | undefined): void;
  /** The token that the last rotation is answered with. */
  answered(): string | undefined;
  /** A session of another account is none. */
  addAccount(id: string): Promise<void>;
  changePassword(id: string): Promise<void>;
  /** What is called from now on belongs to another request of the library. */
  begin(): void;
  /** Moves the clock on, in milliseconds. */
  pass(milliseconds: number): void;
}

const models = ['Session', 'AccessToken', 'AuthorizationCode', 'RefreshToken', 'Grant'] as const;

/** Ours over an empty database with the tables of sign-in. */
export function adapterOver(database: AsyncDatabase): AdapterUnderTest {
  let now = Date.now();
  let rotated: string | undefined;
  let answered: string | undefined;
  let request: object | undefined;
  const accounts = createAccountStore(database);
  const clock = { now: () => now, monotonic: () => now };
  return {
    adapters: createAdapters({
      authorizations: createAuthorizationStore(database),
      connections: createConnectionStore(database, clock),
      clock,
      findClient: async () => undefined,
      currentRequest: () => request,
      invalidGrant: () => new errors.InvalidGrant('refused'),
      interactionEnded: () => new errors.SessionNotFound('ended'),
      rotations: {
        rotated: () => rotated,
        answerWith: (token) => {
          answered = token;
        },
      },
    }),
    rotate: (old) => {
      rotated = old;
    },
    answered: () => answered,
    addAccount: async (id) => {
      const keys = { nameKey: id, emailKey: `${id}@example.com` };
      const account = { id, name: id, email: keys.emailKey, workspaces: [], created: 1 };
      await accounts.addAccount({ ...account, ...keys, password: 'the first' });
    },
    changePassword: (id) =>
      accounts.setPassword(id, 'the second', { keptSession: undefined, programs: false }),
    begin: () => {
      request = {};
    },
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** `open` gives an empty one for each test. */
export function judgeAdapter(open: Open): void {
  const openGranted = async () => {
    const under = await open();
    await under.addAccount('ada');
    await under.addAccount('bob');
    await under.adapters('Grant').upsert('g', { accountId: 'ada', clientId: 'app' }, 1_000);
    return under;
  };
  judgeRows(open, openGranted);
  judgeSignIns(openGranted);
  judgeFamilies(openGranted);
  judgeRotations(openGranted);
}

type Open = () => Promise<AdapterUnderTest>;
/** With the grant `g`. */
type OpenGranted = () => Promise<AdapterUnderTest>;

function judgeRows(open: Open, openGranted: OpenGranted): void {
  test.each(models)('%s: what was written is found under its id alone', async (model) => {
    const { adapters } = await openGranted();
    const payload = { accountId: 'ada', clientId: 'app', grantId: 'g', jti: 'one', uid: 'u' };
    await adapters(model).upsert('one', payload, 60);
    expect(await adapters(model).find('one')).toEqual(payload);
    expect(await adapters(model).find('two')).toBeUndefined();
    const other = model === 'Session' ? 'AccessToken' : 'Session';
    expect(await adapters(other).find('one')).toBeUndefined();
  });

  test.each(models)('%s: written again it is changed, destroyed it is gone', async (model) => {
    const { adapters } = await openGranted();
    await adapters(model).upsert('one', { accountId: 'ada', scope: 'openid' }, 60);
    await adapters(model).upsert('one', { accountId: 'bob', scope: 'openid email' }, 60);
    expect(await adapters(model).find('one')).toMatchObject({
      accountId: 'bob',
      scope: 'openid email',
    });
    await adapters(model).destroy('one');
    expect(await adapters(model).find('one')).toBeUndefined();
    await adapters(model).destroy('one');
  });

  test('a session of an account that is gone is none', async () => {
    const { adapters } = await open();
    await adapters('Session').upsert('cookie', { uid: 'u', accountId: 'gone', exp: 99 }, 60);
    expect(await adapters('Session').find('cookie')).toBeUndefined();
    expect(await adapters('Session').findByUid('u')).toBeUndefined();
    await adapters('Session').upsert('other', { uid: 'v', exp: 99 }, 60);
    expect(await adapters('Session').find('other')).toMatchObject({ uid: 'v' });
  });

  test('a session is found by its uid, without its id', async () => {
    const { adapters } = await openGranted();
    await adapters('Session').upsert('cookie', { uid: 'u', accountId: 'ada', exp: 99 }, 60);
    const found = await adapters('Session').findByUid('u');
    expect(found).toEqual({ kind: 'Session', uid: 'u', accountId: 'ada', exp: 99 });
    expect(await adapters('Session').findByUid('cookie')).toBeUndefined();
  });

  test('removal keeps up with whoever makes many rows', async () => {
    const { adapters, pass } = await open();
    const exp = Math.floor(Date.now() / 1_000) + 10;
    for (let index = 0; index < 1_200; index += 1) {
      await adapters('Interaction').upsert(`page ${index}`, { exp }, 10);
    }
    pass(120_000);
    for (const id of ['a', 'b', 'c']) await adapters('Interaction').upsert(id, {}, 600);
    for (let index = 0; index < 1_200; index += 1) {
      expect(await adapters('Interaction').find(`page ${index}`)).toBeUndefined();
    }
    expect(await adapters('Interaction').find('a')).toBeDefined();
  });

  test('rows that ended are removed, those that have not ended stay', async () => {
    const { adapters, pass } = await open();
    const now = Math.floor(Date.now() / 1_000);
    await adapters('Session').upsert('short', { uid: 'a', exp: now + 10 }, 10);
    await adapters('Session').upsert('long', { uid: 'b', exp: now + 1_000 }, 1_000);
    pass(120_000);
    await adapters('Session').upsert('next', { uid: 'c', exp: now + 1_000 }, 1_000);
    expect(await adapters('Session').find('short')).toBeUndefined();
    expect(await adapters('Session').find('long')).toBeDefined();
  });
}

function judgeSignIns(openGranted: OpenGranted): void {
  test.each(['Session', 'Interaction', 'Grant', 'AuthorizationCode'] as const)(
    '%s: a request that began before a change of the password writes none for the account',
    async (model) => {
      const { adapters, begin, changePassword } = await openGranted();
      const exp = Math.floor(Date.now() / 1_000) + 600;
      await adapters('Session').upsert('cookie', { uid: 'u', accountId: 'ada', exp }, 600);
      begin();
      expect(await adapters('Session').find('cookie')).toMatchObject({ accountId: 'ada' });
      await changePassword('ada');
      expect(await adapters('Session').find('cookie')).toBeUndefined();
      const late = adapters(model).upsert('late', { accountId: 'ada', exp }, 600);
      await expect(late).rejects.toThrow('invalid_grant');
      expect(await adapters(model).find('late')).toBeUndefined();
      await adapters(model).upsert('other', { accountId: 'bob', exp }, 600);
      begin();
      await adapters(model).upsert('next', { accountId: 'ada', exp }, 600);
      expect(await adapters(model).find('next')).toBeDefined();
    },
  );

  test('a sign-in that the password has passed is not stored after a change of it', async () => {
    const { adapters, begin, changePassword } = await openGranted();
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const result = { login: { accountId: 'ada' } };
    await adapters('Interaction').upsert('page', { result, exp }, 600);
    begin();
    expect(await adapters('Interaction').find('page')).toMatchObject({ result });
    await adapters('Interaction').destroy('page');
    await changePassword('ada');
    const session = adapters('Session').upsert('cookie', { uid: 'u', accountId: 'ada', exp }, 600);
    await expect(session).rejects.toThrow('invalid_grant');
  });

  test('of requests at once that go on with one interaction the first one has it', async () => {
    const { adapters } = await openGranted();
    await adapters('Interaction').upsert('page', {}, 600);
    const all = Array.from({ length: 64 }, () => adapters('Interaction').destroy('page'));
    const ends = await Promise.allSettled(all);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
}

function judgeFamilies(openGranted: OpenGranted): void {
  test('a code can be used once; a second use ends what came of the first', async () => {
    const { adapters } = await openGranted();
    await adapters('AuthorizationCode').upsert('code', { grantId: 'g' }, 60);
    await adapters('AccessToken').upsert('token', { grantId: 'g' }, 60);
    await adapters('AuthorizationCode').consume('code');
    expect(await adapters('AuthorizationCode').find('code')).toMatchObject({
      consumed: expect.any(Number),
    });
    await expect(adapters('AuthorizationCode').consume('code')).rejects.toThrow('invalid_grant');
    expect(await adapters('AccessToken').find('token')).toBeUndefined();
    expect(await adapters('Grant').find('g')).toBeUndefined();
  });

  test('revoking a grant ends all that came of it, and nothing else', async () => {
    const { adapters } = await openGranted();
    await adapters('Grant').upsert('h', {}, 60);
    await adapters('AccessToken').upsert('token', { grantId: 'g' }, 60);
    await adapters('RefreshToken').upsert('refresh', { grantId: 'g' }, 60);
    await adapters('AccessToken').upsert('other', { grantId: 'h' }, 60);
    await adapters('Interaction').upsert('page', { grantId: 'g' }, 60);
    await adapters('RefreshToken').revokeByGrantId('g');
    expect(await adapters('AccessToken').find('token')).toBeUndefined();
    expect(await adapters('RefreshToken').find('refresh')).toBeUndefined();
    expect(await adapters('Grant').find('g')).toBeUndefined();
    expect(await adapters('AccessToken').find('other')).toBeDefined();
    expect(await adapters('Interaction').find('page')).toBeDefined();
  });

  test.each(['AccessToken', 'RefreshToken', 'AuthorizationCode'])(
    '%s: nothing comes to be for a grant that was revoked meanwhile',
    async (model) => {
      const { adapters } = await openGranted();
      await adapters('Grant').destroy('g');
      await expect(adapters(model).upsert('late', { grantId: 'g' }, 60)).rejects.toThrow(
        'invalid_grant',
      );
      expect(await adapters(model).find('late')).toBeUndefined();
    },
  );
}

function judgeRotations(openGranted: OpenGranted): void {
  test('of two that rotate one token the second is answered with the first one', async () => {
    const { adapters, rotate, answered } = await openGranted();
    await adapters('RefreshToken').upsert('old', { grantId: 'g' }, 60);
    await adapters('RefreshToken').consume('old');
    rotate('old');
    await adapters('RefreshToken').upsert('first', { grantId: 'g' }, 60);
    expect(answered()).toBe('first');
    await adapters('RefreshToken').upsert('second', { grantId: 'g' }, 60);
    expect(answered()).toBe('first');
    expect(await adapters('RefreshToken').find('second')).toBeUndefined();
    expect(await adapters('RefreshToken').find('old')).toMatchObject({ jti: 'first' });
  });

  test('a token that was used up leads to its successor for 30 seconds', async () => {
    const { adapters, rotate, pass } = await openGranted();
    await adapters('RefreshToken').upsert('old', { grantId: 'g', exp: 9e9 }, 60);
    rotate('old');
    await adapters('RefreshToken').upsert('new', { grantId: 'g', exp: 9e9 }, 60);
    rotate(undefined);
    pass(29_999);
    const graced = await adapters('RefreshToken').find('old');
    expect(graced).toMatchObject({ jti: 'new' });
    expect(graced).not.toHaveProperty('consumed');
    pass(1);
    expect(await adapters('RefreshToken').find('old')).toMatchObject({
      jti: 'old',
      consumed: expect.any(Number),
    });
  });
}
