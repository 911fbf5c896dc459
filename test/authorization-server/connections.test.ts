// The connected applications of a person: what is shown of them, and what ends with them.

import { expect, onTestFinished, test } from 'vitest';
import { openSignInDatabase } from '../../src/authorization-server/sign-in-database.ts';
import {
  authorizationUrl,
  person,
  refresh,
  signIn,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { openFormBrowser, type Visit } from '../fixtures/form-browser.ts';
import { goAhead } from './account-holder.ts';
import { addGrace, administer, openService, walk, wordsOf } from './page-visits.ts';
import { fieldsOf, openConnections } from './settings-visits.ts';

const path = '/settings/connections';

const idsOf = ({ text }: Visit) =>
  [...text.matchAll(/value="disconnect"><input type="hidden" name="id" value="([^"]+)"/g)].map(
    ([, id = '']) => id,
  );

const isActive = async (service: TestAuthorizationServer, token: string) =>
  (await validate(service, token)).body.active;

/** The words of a page, without the minutes of its times. */
const daysOf = (page: Visit) => wordsOf(page).replaceAll(/ \d\d:\d\d UTC/g, '');

const today = () => new Date().toISOString().slice(0, 10);

test('a person reads who has access, to what, where and since when', async () => {
  const service = await openService();
  const labels = await service.register({
    name: 'Labels <b>of all</b>',
    redirectUris: ['https://labels.example.com/back'],
  });
  await signIn(service, labels, { scope: 'openid image:read credentials:create' });
  await signIn(service, service.applications.public);
  const { page } = await openConnections(service);
  expect(page.status).toBe(200);
  expect(page.text).not.toContain('<b>of all');
  expect(wordsOf(page)).toMatch(/Allowed [\d-]{10} \d\d:\d\d UTC Last used [\d-]{10} Access/);
  expect(daysOf(page)).toContain(
    ` Public Who it is A program on a computer: anybody can use its name. ` +
      `Goes back to the computer on which you allowed it (127.0.0.1:8976) Workspace acme ` +
      `Allowed ${today()} Last used ${today()} Access Until it signs out, or is not used for ` +
      `30 days. What it may do Who you are Know which account is yours, by an identifier that ` +
      `stays the same Disconnect`,
  );
  expect(wordsOf(page)).toContain(
    ' Labels &lt;b&gt;of all&lt;/b&gt; ' +
      `Who it is It proves who it is, by a client secret. Goes back to labels.example.com ` +
      `Workspace acme`,
  );
  expect(wordsOf(page)).toContain(
    'Images See, search and download images Integrations and credentials Create API keys, which work without you',
  );
  expect(page.text).toContain('<span class="strong">Create API keys, which work without you');
});

test('nothing is there before a person has allowed something', async () => {
  const service = await openService();
  const { page } = await openConnections(service);
  expect(wordsOf(page)).toContain('Connected There is none.');
});

test('a disconnected application has nothing left, and others have all', async () => {
  const service = await openService();
  const { post, basic } = service.applications;
  const ended = await signIn(service, post);
  const kept = await signIn(service, basic);
  const { press } = await openConnections(service);
  const answer = await press('Disconnect Post');
  expect([answer.status, wordsOf(answer)]).toEqual([
    200,
    expect.stringContaining('It is disconnected: its access has ended.'),
  ]);
  expect(wordsOf(answer)).not.toContain('Post');
  expect(await isActive(service, ended.accessToken)).toBe(false);
  const refused = await refresh(service, post, ended.refreshToken);
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
  expect(await isActive(service, kept.accessToken)).toBe(true);
  expect((await refresh(service, basic, kept.refreshToken)).status).toBe(200);
  const again = await press('Disconnect Post');
  expect([again.status, wordsOf(again)]).toEqual([
    404,
    expect.stringContaining('You have no such connection, or it was disconnected already.'),
  ]);
});

test('what a browser remembered is asked anew, once that is disconnected', async () => {
  const service = await openService();
  const site = await service.register({ redirectUris: ['https://labels.example.com/back'] });
  const browser = openFormBrowser();
  await signIn(service, site, {}, browser);
  const silent = () => walk(browser, authorizationUrl(service, site, { prompt: 'none' }).url);
  expect((await silent()).next?.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
  const settings = await openConnections(service);
  // The one that was allowed, and the copy that came of it.
  expect(idsOf(settings.page)).toHaveLength(2);
  await settings.press('Disconnect all of Application');
  expect(idsOf(await settings.browser.get(service.url + path))).toEqual([]);
  expect((await silent()).next?.searchParams.get('error')).toBe('consent_required');
});

test('all sign-ins of one application end together, and no others', async () => {
  const service = await openService();
  const { post, basic } = service.applications;
  const ofPost = [await signIn(service, post), await signIn(service, post)];
  const ofBasic = await signIn(service, basic);
  const { page, press } = await openConnections(service);
  // One group of two, and one of its own.
  expect(page.text.match(/<h3><bdi>/g)).toHaveLength(2);
  expect(page.text).not.toContain('This browser');
  const answer = await press('Disconnect all of Post');
  expect(answer.status).toBe(200);
  expect(idsOf(answer)).toHaveLength(1);
  expect(wordsOf(answer)).not.toContain('Disconnect all');
  for (const { accessToken } of ofPost) expect(await isActive(service, accessToken)).toBe(false);
  expect(await isActive(service, ofBasic.accessToken)).toBe(true);
  expect((await press('Disconnect all of Post')).status).toBe(404);
});

test('people see and end their own connections alone', async () => {
  const service = await openService();
  const grace = await addGrace(service, ['acme']);
  const { accessToken } = await signIn(service, service.applications.post);
  await signIn(service, service.applications.post, {}, undefined, grace);
  const adas = await openConnections(service);
  const graces = await openConnections(service, grace.name);
  const [ofAda = ''] = idsOf(adas.page);
  const [ofGrace = ''] = idsOf(graces.page);
  expect([idsOf(adas.page).length, idsOf(graces.page).length]).toEqual([1, 1]);
  expect(ofAda).not.toBe(ofGrace);
  const fields = fieldsOf(graces.page, 'Disconnect Post');
  const asGrace = (changes: Readonly<Record<string, string>>) =>
    graces.browser.post(service.url + path, { ...fields, ...changes });
  const foreign = await asGrace({ id: ofAda });
  const unknown = await asGrace({ id: 'A'.repeat(43) });
  expect([foreign.status, unknown.status]).toEqual([404, 404]);
  expect(wordsOf(foreign)).toBe(wordsOf(unknown));
  const all = await asGrace({ action: 'disconnect-all', id: 'fva_unknown' });
  expect(all.status).toBe(404);
  expect((await asGrace({ form_token: '' })).status).toBe(403);
  const withTokenOfAda = fieldsOf(adas.page, 'Disconnect Post').form_token ?? '';
  expect((await asGrace({ form_token: withTokenOfAda })).status).toBe(403);
  expect((await asGrace({ action: 'remove' })).status).toBe(400);
  await graces.browser.get(`${service.url}${path}?action=disconnect&id=${ofGrace}`);
  expect(await isActive(service, accessToken)).toBe(true);
  expect(idsOf(await graces.browser.get(service.url + path))).toEqual([ofGrace]);
  const stranger = await openFormBrowser().post(service.url + path, fields);
  expect(stranger.next?.pathname).toBe('/settings/sign-in');
  expect((await asGrace({})).status).toBe(200);
});

test('many connections come in pages', async () => {
  const service = await openService();
  const site = await service.register({
    name: 'Often',
    redirectUris: ['https://often.example.com/back'],
  });
  const browser = openFormBrowser();
  for (let count = 0; count < 27; count += 1) await signIn(service, site, {}, browser);
  const first = await openConnections(service);
  const [link = ''] = /\/settings\/connections\?behind=[^"]+/.exec(first.page.text) ?? [];
  const second = await first.browser.get(service.url + link);
  expect([idsOf(first.page).length, idsOf(second).length]).toEqual([25, 2]);
  expect(new Set([...idsOf(first.page), ...idsOf(second)]).size).toBe(27);
  expect(second.text).not.toContain('Older ones');
  expect(second.text).toContain(`<a href="${path}">Newest</a>`);
  const wrong = await first.browser.get(`${service.url}${path}?behind=2026`);
  expect([wrong.status, wordsOf(wrong)]).toEqual([
    400,
    expect.stringContaining('behind: must come from a link of this page'),
  ]);
  await first.press('Disconnect all of Often');
  expect(wordsOf(await first.browser.get(service.url + path))).toContain('There is none.');
});

test('access that has ended otherwise is told', async () => {
  const service = await openService();
  const gone = await service.register({ name: 'Gone' });
  await signIn(service, gone);
  await signIn(service, service.applications.post);
  await administer(service, ({ applications }) => applications.remove(gone.id));
  const { page } = await openConnections(service);
  expect(wordsOf(page)).toMatch(/Gone Who it is .* Access None: the application was removed\./);
});

test('a sign-in that a program did not finish has no access', async () => {
  const service = await startTestAuthorizationServer({ inSources: true });
  onTestFinished(service.close);
  await service.agree(authorizationUrl(service, service.applications.public).url);
  expect(wordsOf((await openConnections(service)).page)).toContain('Access Until it signs out');
  goAhead(61_000);
  const { page, press } = await openConnections(service);
  expect(wordsOf(page)).toContain('Access None: it did not finish its sign-in.');
  expect((await press('Disconnect Public')).status).toBe(200);
});

test('a grant of an earlier release is there too, with what is known of it', async () => {
  const service = await openService();
  const { accessToken } = await signIn(service, service.applications.post);
  const database = await openSignInDatabase(service.data, service.databaseUrl);
  await database.run('UPDATE authorizations SET consent = NULL, granted = NULL, used = NULL');
  await database.close();
  const { page, press } = await openConnections(service);
  expect(daysOf(page)).toContain(
    `Post Workspace acme Allowed ${today()} Access Until it signs out, or is not used for 30 ` +
      'days. What it may do It was allowed before Fovea noted that. Disconnect',
  );
  await press('Disconnect Post');
  expect(await isActive(service, accessToken)).toBe(false);
});

test('a refresh is a use, and 30 days without one are the end', async () => {
  const service = await startTestAuthorizationServer({ inSources: true });
  onTestFinished(service.close);
  const { post } = service.applications;
  const first = today();
  const { refreshToken } = await signIn(service, post);
  const day = 24 * 3_600_000;
  goAhead(3 * day);
  expect((await refresh(service, post, refreshToken)).status).toBe(200);
  const used = await openConnections(service);
  expect(daysOf(used.page)).toContain(`Allowed ${first} Last used ${today()} Access Until`);
  goAhead(31 * day);
  const unused = await openConnections(service, person.name);
  expect(wordsOf(unused.page)).toContain('Access None now: it was not used for 30 days');
});
