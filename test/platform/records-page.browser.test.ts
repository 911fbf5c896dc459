// The pages of vision events, activity and API keys in a real browser.

import { beforeAll, describe, expect, test } from 'vitest';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { projects } from '../../src/contract/projects.ts';
import { visionEvents } from '../../src/contract/vision-events.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { rectOf, shapeOf } from '../event-store/open-pages.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { violationsOfAll } from './axe-violations.ts';
import { goTo, hostile, shownRows, useOpenedPages } from './opened-pages.ts';
import { at, yesterday } from './vision-event-requests.ts';

const open = useOpenedPages();
let platform: TestPlatform;

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await startTestPlatform({ verifyAccessToken: async () => undefined });
  return () => platform.close();
}, 60_000);

async function record(event: object): Promise<void> {
  await platform.client.call(visionEvents.vision_events_create, {
    eventId: 'plain',
    eventType: 'custom',
    useCaseId: 'line-3',
    timestamp: at('00'),
    ...event,
  });
}

async function upload(shade: number): Promise<string> {
  const file = { name: `${hostile}.png`, content: await testImage(shade) };
  const { body } = await platform.client.call(visionEvents.vision_events_upload_image, { file });
  return body.sourceId ?? '';
}

const box = { class: hostile, x: 32, y: 24, width: 16, height: 12, confidence: 0.5 };

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('events: how to record one, use cases, what the service filters by, page by page', async () => {
    const { page, problems } = await open(platform, 'events');
    await page.getByText('record them with vision_events_create').waitFor();
    const minutes = Array.from({ length: 55 }, (_, minute) => String(minute).padStart(2, '0'));
    for (const minute of minutes) {
      const eventData = { result: minute === '02' ? 'fail' : 'pass', line: Number(minute) };
      await record({ eventId: `e-${minute}`, timestamp: at(minute), eventData });
    }
    await goTo(page, 'projects');
    await goTo(page, 'events');
    expect(await violationsOfAll(page)).toEqual([]);
    await page.getByRole('link', { name: 'line-3' }).click();
    await page.getByRole('button', { name: 'More' }).waitFor();
    expect((await shownRows(page)).length).toBe(50);
    expect(await page.locator('tbody tr').first().textContent()).toContain('line 54, result pass');
    // The event lies on the page that is not loaded: so nothing is said of it.
    await page.getByLabel('Filter').fill('fail');
    await page.getByText('None of the 50 that are loaded fits.').waitFor();
    await page.getByLabel('Filter').fill('says:"line 1"');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByText('11 of 55', { exact: true }).waitFor();
    await page.getByLabel('Data', { exact: true }).fill('result=fail');
    await page.keyboard.press('Enter');
    await page.waitForURL(/data=result%3Dfail/);
    await page.getByLabel('Filter').fill('');
    await page.getByText('line 2, result fail').waitFor();
    expect((await shownRows(page)).length).toBe(1);
    await page.getByLabel('Data', { exact: true }).fill('line>=53');
    await page.keyboard.press('Enter');
    await page.getByText('line 54').waitFor();
    expect((await shownRows(page)).length).toBe(2);
    await page.getByLabel('Data', { exact: true }).fill('');
    await page.getByLabel('Until').fill(`${yesterday}10:01`);
    await page.keyboard.press('Enter');
    await page.getByText('line 0').waitFor();
    expect((await shownRows(page)).length).toBe(2);
    await page.getByLabel('Class seen').fill('nothing');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No event fits: take a condition away.').waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('an event: its pictures with what was seen where it was, and its data as text', async () => {
    const [first, second] = [await upload(1), await upload(2)];
    await record({
      eventId: 'seen/1',
      useCaseId: 'gate',
      eventData: { [hostile]: hostile, deep: { a: [1] } },
      customMetadata: { line: hostile },
      images: [
        { sourceId: first, label: hostile, classifications: [{ class: 'good', confidence: 0.75 }] },
        { sourceId: second, inputSourceId: first, objectDetections: [box] },
      ],
      displayImagePosition: 1,
    });
    const { page, problems } = await open(platform, 'events/gate');
    expect(await page.locator('tbody tr').textContent()).toContain(`1 good, 1 ${hostile}`);
    await page.locator('tbody img').waitFor();
    const small = page.locator('tbody img');
    expect(await small.getAttribute('src')).toContain('/thumbs/');
    await page.locator('tbody a').click();
    await page.locator('.stage.is-loaded').waitFor();
    const photo = await rectOf(page.locator('.stage img'));
    const shape = await shapeOf(page.locator('.finding .shape'));
    const scale = photo.width / 64;
    expect((shape.x - photo.x) / scale).toBeCloseTo(24, 1);
    expect((shape.y - photo.y) / scale).toBeCloseTo(18, 1);
    expect(shape.width / scale).toBeCloseTo(16, 1);
    const source = () => page.locator('.stage img').getAttribute('src');
    const output = await source();
    await page.getByRole('button', { name: 'Output image' }).click();
    expect(await source()).not.toBe(output);
    expect(await violationsOfAll(page)).toEqual([]);
    await page.getByRole('button', { name: `1 ${hostile}` }).click();
    await page.getByText('Classified as good 75 %').waitFor();
    expect(await page.locator('main').textContent()).toContain(`${hostile}${hostile}`);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    await page.reload();
    await page.locator('.stage.is-loaded').waitFor();
    expect(problems).toEqual([]);
  });

  test('keys: the secret of a new one is shown once, and what it changed is found by it', async () => {
    const { page, problems } = await open(platform, 'keys');
    await page.getByText('No API key yet').waitFor();
    const applications = page.getByRole('link', { name: 'their applications' });
    expect(await applications.getAttribute('href')).toBe('/settings/applications');
    const views = page.getByRole('navigation', { name: 'Views', exact: true });
    expect(await views.getByRole('link', { name: 'Applications' }).isVisible()).toBe(true);
    await page.getByText('New key').click();
    const form = page.getByRole('form', { name: 'A new key' });
    await form.getByLabel('Name').fill(hostile);
    await form.getByLabel('Scopes').fill('project:read project:creat');
    await form.getByRole('button').click();
    await page.locator('#problem').getByText('project:creat').waitFor();
    await form.getByLabel('Scopes').fill('workspace:read, project:create');
    await form.getByRole('button').click();
    const secretField = page.getByLabel('The secret of the new key');
    await secretField.waitFor();
    const secret = await secretField.inputValue();
    expect(await violationsOfAll(page)).toEqual([]);
    const row = page.locator('tbody tr');
    expect(await row.textContent()).toContain('workspace:read, project:create');
    expect(await row.textContent()).toContain(hostile);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    expect(await secretField.count()).toBe(0);
    const everything =
      'document.documentElement.outerHTML + JSON.stringify(sessionStorage) + location.href';
    expect(await page.evaluate(everything)).not.toContain(secret);
    const made = await platform.client.call(apiKeys.api_keys_list, { workspace: 'acme' });
    expect(made.body.apiKeys.map(({ scopes }) => scopes)).toEqual([
      ['workspace:read', 'project:create'],
    ]);

    const created = await fetch(`${platform.url}/acme/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'By key', type: 'object-detection', annotation: hostile }),
    });
    expect(created.status).toBe(201);
    await row.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('cell', { name: 'By key' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(await page.locator('tbody tr').textContent()).toContain(`${hostile}added project`);
    expect(await page.getByLabel('Who').locator('option:checked').textContent()).toBe(hostile);

    await goTo(page, 'keys');
    await row.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('disabled').waitFor();
    await row.getByRole('button', { name: 'Enable' }).click();
    await row.getByText('in use').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    const sure = row.getByRole('button', { name: 'Revoke for good?' });
    await sure.waitFor();
    await page.getByLabel('Filter').focus();
    expect(await sure.count()).toBe(0);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await sure.click();
    await page.getByText('No API key yet').waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    // The scope that nobody knows.
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  test('on a phone rows come before what they are filtered by, and the page fits', async () => {
    await platform.client.call(apiKeys.api_keys_create, { workspace: 'acme', name: 'Phone' });
    const narrow = { viewport: { width: 360, height: 700 } };
    const { page, problems } = await open(platform, 'keys', narrow);
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    for (const place of ['keys', 'activity', 'activity?kind=api_key']) {
      if (place !== 'keys') await goTo(page, place);
      expect([place, await page.evaluate(wide)]).toEqual([place, 0]);
      expect([place, await violationsOfAll(page)]).toEqual([place, []]);
    }
    expect(await page.getByLabel('Kind').isVisible()).toBe(true);
    await goTo(page, 'activity');
    expect(await page.getByLabel('Kind').isVisible()).toBe(false);
    // A table that is too wide is moved by keys.
    await page.getByRole('group', { name: 'Table' }).focus();
    await page.keyboard.press('ArrowRight');
    const moved = 'document.querySelector(".table").scrollLeft';
    await expect.poll(() => page.evaluate(moved)).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  test('a key does not offer to end itself, and one that is not theirs to read says so', async () => {
    const { client } = platform;
    const make = async (body: object) =>
      (await client.call(apiKeys.api_keys_create, { workspace: 'acme', ...body })).body;
    const [all, few] = [
      await make({ name: 'All' }),
      await make({ name: 'Few', scopes: ['workspace:read'] }),
    ];
    const { page } = await open({ url: platform.url, key: all.key }, 'keys');
    const own = page.locator('tbody tr', { hasText: 'key of this tab' });
    expect(await own.getByRole('button').count()).toBe(0);
    expect(await shownRows(page)).toEqual(expect.arrayContaining(['All', 'Few']));
    const other = await open({ url: platform.url, key: few.key }, 'activity');
    // Names of keys are not theirs to read: so it is told by its id.
    await other.page.getByText('added api key').first().waitFor();
    await other.page.evaluate('location.hash = "keys"');
    await other.page.locator('main').getByText('credentials:read').waitFor();
  });

  test('activity: what was before a change, and by project, kind and time', async () => {
    const { client } = platform;
    const project = {
      workspace: 'acme',
      name: `Old ${hostile}`,
      type: 'object-detection',
    } as const;
    await client.call(projects.projects_create, { ...project, annotation: 'things' });
    const { body } = await client.call(apiKeys.api_keys_create, {
      workspace: 'acme',
      name: 'Before',
    });
    await client.call(apiKeys.api_keys_update, {
      workspace: 'acme',
      keyId: body.keyId,
      name: 'Afterwards',
    });
    const { page, problems } = await open(platform, 'activity?kind=api_key');
    const change = page.locator('tbody tr', { hasText: 'changed api key' }).first();
    await change.getByText('Change', { exact: true }).click();
    expect(await change.locator('pre').allTextContents()).toEqual([
      expect.stringContaining('Before'),
      expect.stringContaining('Afterwards'),
    ]);
    expect(await violationsOfAll(page)).toEqual([]);
    await page.getByLabel('Kind').selectOption('project');
    await page.getByText(`Old ${hostile}`).waitFor();
    await page.getByLabel('From').fill('2099-01-01T00:00');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No change fits: take a condition away.').waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
