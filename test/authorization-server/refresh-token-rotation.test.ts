// Refresh tokens: rotated at each use, forgiving for a moment, and then not at all.

import { expect, onTestFinished, test, vi } from 'vitest';
import {
  postForm,
  refresh,
  type SignedIn,
  signedIn,
  signIn,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { shareService } from './shared-service.ts';

const scope = 'openid project:read image:read';

const shared = shareService();

/** One for all tests, unless it takes what one of them does to it. */
async function start(options: Parameters<typeof startTestAuthorizationServer>[0] = {}) {
  const isOwn = vi.isFakeTimers() || options.data !== undefined;
  if (!isOwn) return shared();
  // A clock that is held stands still in this process alone.
  const held = vi.isFakeTimers() && ({ inSources: true } as const);
  const service = await startTestAuthorizationServer({ ...options, ...held });
  onTestFinished(service.close);
  return service;
}

/** A service, and a sign-in of its public application. */
async function startSignedIn(): Promise<{
  readonly service: TestAuthorizationServer;
  readonly first: SignedIn;
  readonly refreshWith: (token: string) => ReturnType<typeof refresh>;
  readonly isActive: (token: string) => Promise<unknown>;
}> {
  const service = await start();
  const application = service.applications.public;
  const first = await signIn(service, application, { scope });
  return {
    service,
    first,
    refreshWith: (token) => refresh(service, application, token),
    isActive: async (token) => (await validate(service, token)).body.active,
  };
}

/** Stops the wall clock; `pass` moves it. */
function holdClock(): { pass: (milliseconds: number) => void } {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return { pass: (milliseconds) => vi.setSystemTime(Date.now() + milliseconds) };
}

test('a refresh gives a new access token and a new refresh token; both access tokens work', async () => {
  const { first, refreshWith, isActive } = await startSignedIn();
  const second = signedIn(await refreshWith(first.refreshToken));
  expect(second.refreshToken).toMatch(/^[\w-]{43}$/);
  expect(second.refreshToken).not.toBe(first.refreshToken);
  expect(second.accessToken).not.toBe(first.accessToken);
  expect(second.answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope });
  expect(await isActive(first.accessToken)).toBe(true);
  expect(await isActive(second.accessToken)).toBe(true);
});

test('50 refreshes of one token at once all succeed, and agree on one successor', async () => {
  const { first, refreshWith, isActive } = await startSignedIn();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => refreshWith(first.refreshToken)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const all = answers.map(signedIn);
  const successors = new Set(all.map(({ refreshToken }) => refreshToken));
  expect(successors.size).toBe(1);
  expect(successors.has(first.refreshToken)).toBe(false);
  expect(new Set(all.map(({ accessToken }) => accessToken)).size).toBe(50);
  for (const { accessToken } of all) expect(await isActive(accessToken)).toBe(true);
  const [successor = ''] = successors;
  expect((await refreshWith(successor)).status).toBe(200);
});

test('two services over one folder agree on one successor too', async () => {
  const service = await start();
  const other = await start({ data: service.data });
  const application = service.applications.public;
  const first = await signIn(service, application, { scope });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      refresh(index % 2 ? service : other, application, first.refreshToken),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map((answer) => signedIn(answer).refreshToken)).size).toBe(1);
});

test('who lost the answer gets the same successor for 30 seconds', async () => {
  const clock = holdClock();
  const { first, refreshWith, isActive } = await startSignedIn();
  const second = signedIn(await refreshWith(first.refreshToken));
  clock.pass(29_999);
  const again = signedIn(await refreshWith(first.refreshToken));
  expect(again.refreshToken).toBe(second.refreshToken);
  expect(again.accessToken).not.toBe(second.accessToken);
  expect(await isActive(again.accessToken)).toBe(true);
});

test('a token used again after 30 seconds ends the whole sign-in', async () => {
  const clock = holdClock();
  const { first, refreshWith, isActive } = await startSignedIn();
  const second = signedIn(await refreshWith(first.refreshToken));
  clock.pass(30_000);
  const replay = await refreshWith(first.refreshToken);
  expect(replay.status).toBe(400);
  expect(replay.body.error).toBe('invalid_grant');
  expect(await isActive(first.accessToken)).toBe(false);
  expect(await isActive(second.accessToken)).toBe(false);
  const next = await refreshWith(second.refreshToken);
  expect(next.body.error).toBe('invalid_grant');
});

test('a clock that is set back makes the grace no longer', async () => {
  const clock = holdClock();
  const { first, refreshWith } = await startSignedIn();
  clock.pass(60_000);
  await refreshWith(first.refreshToken);
  clock.pass(-30_000);
  expect((await refreshWith(first.refreshToken)).body.error).toBe('invalid_grant');
});

test('within the grace an older token leads to the newest one', async () => {
  const clock = holdClock();
  const { first, refreshWith } = await startSignedIn();
  const second = signedIn(await refreshWith(first.refreshToken));
  clock.pass(5_000);
  const third = signedIn(await refreshWith(second.refreshToken));
  clock.pass(5_000);
  const again = signedIn(await refreshWith(first.refreshToken));
  expect(again.refreshToken).toBe(third.refreshToken);
});

test('another client gets nothing for the token, neither in the grace nor after', async () => {
  const clock = holdClock();
  const { service, first, refreshWith, isActive } = await startSignedIn();
  const thief = await service.register({ name: 'Thief', auth: 'none', desktop: true });
  const early = await refresh(service, thief, first.refreshToken);
  expect(early.body.error).toBe('invalid_grant');
  const second = signedIn(await refreshWith(first.refreshToken));
  const graced = await refresh(service, thief, first.refreshToken);
  expect(graced.body.error).toBe('invalid_grant');
  clock.pass(60_000);
  const late = await refresh(service, thief, first.refreshToken);
  expect(late.body.error).toBe('invalid_grant');
  expect(await isActive(second.accessToken)).toBe(true);
});

test('a confidential client must prove itself in the grace too', async () => {
  const service = await start();
  const application = service.applications.post;
  const first = await signIn(service, application, { scope });
  await refresh(service, application, first.refreshToken);
  const wrong = { ...application, secret: 'fvs_wrong' };
  const answer = await refresh(service, wrong, first.refreshToken);
  expect(answer.status).toBe(401);
  expect(answer.body.error).toBe('invalid_client');
});

test('a refresh may narrow the scope of its access token, and never widen it', async () => {
  const { service, first } = await startSignedIn();
  const application = service.applications.public;
  const narrow = await refresh(service, application, first.refreshToken, { scope: 'image:read' });
  expect(narrow.body.scope).toBe('image:read');
  const { body } = await validate(service, signedIn(narrow).accessToken);
  expect(body.scopes).toEqual(['image:read']);
  const token = signedIn(narrow).refreshToken;
  const wide = await refresh(service, application, token, { scope: 'image:read model:infer' });
  expect(wide.status).toBe(400);
  expect(wide.body.error).toBe('invalid_scope');
  const full = await refresh(service, application, token);
  expect(full.body.scope).toBe(scope);
});

test('a sign-in that is revoked while it is refreshed leaves nothing that works', async () => {
  const service = await start();
  const application = service.applications.public;
  for (let round = 0; round < 5; round += 1) {
    const { refreshToken, accessToken } = await signIn(service, application, { scope });
    const refreshes = Array.from({ length: 8 }, () => refresh(service, application, refreshToken));
    const revoked = await postForm(`${service.url}/oauth/revoke`, undefined, {
      token: round % 2 ? refreshToken : accessToken,
    });
    expect(revoked.status).toBe(200);
    const answers = await Promise.all(refreshes);
    for (const { status, body } of answers) {
      if (status !== 200) expect(body.error).toBe('invalid_grant');
      else expect((await validate(service, String(body.access_token))).body.active).toBe(false);
    }
    for (const { status, body } of answers.filter((each) => each.status === 200)) {
      expect(status).toBe(200);
      const next = await refresh(service, application, String(body.refresh_token));
      expect(next.body.error).toBe('invalid_grant');
    }
  }
});

test('a service that starts anew knows its tokens, used ones and good ones', async () => {
  const clock = holdClock();
  const service = await start();
  const application = service.applications.public;
  const first = await signIn(service, application, { scope });
  const second = signedIn(await refresh(service, application, first.refreshToken));
  const next = await start({ data: service.data });
  expect((await validate(next, second.accessToken)).body.active).toBe(true);
  const graced = await refresh(next, application, first.refreshToken);
  expect(signedIn(graced).refreshToken).toBe(second.refreshToken);
  clock.pass(31_000);
  const replay = await refresh(next, application, first.refreshToken);
  expect(replay.body.error).toBe('invalid_grant');
  expect((await validate(service, second.accessToken)).body.active).toBe(false);
});
