// The page in use: filters, news, the keyboard, and many events, in a real Chromium.

import { describe, expect, test } from 'vitest';
import { plainEvent } from '../fixtures/event-store.ts';
import { violationsOfAll } from '../platform/axe-violations.ts';
import { hasChromium, inChromium } from './chromium.ts';
import { expectTexts, fill, picture, rectOf, usePages } from './open-pages.ts';

const { open, show } = usePages();

describe.skipIf(!hasChromium)(inChromium, () => {
  test('filters, and keeps the filter in the address', async () => {
    const store = await open();
    const from = async (device_id: string, speed: number, value: string) =>
      store.post('/v2/events', {
        ...plainEvent,
        event_data: { value, externalId: value },
        device_id,
        custom_metadata: { speed },
      });
    await from('camera-1', 5, 'a');
    await from('camera-2', 5, 'b');
    await from('camera-2', 12, 'c');
    const { page, problems } = await show(store);
    const outcomes = page.locator('.card .outcome');
    await expectTexts(outcomes, ['c', 'b', 'a']);
    await page.getByLabel('Device').fill('camera-2');
    await page.getByLabel('Device').press('Enter');
    await expectTexts(outcomes, ['c', 'b']);
    await page.getByLabel('Key').fill('speed');
    await page.getByLabel('Comparison').selectOption('gt');
    await page.getByLabel('Value').fill('10');
    await page.getByRole('button', { name: 'Add' }).click();
    await expectTexts(outcomes, ['c']);
    expect(new URL(page.url()).search).toBe('?device_id=camera-2&metadata_filter=speed%3Agt%3A10');
    await page.reload();
    await expectTexts(outcomes, ['c']);
    await page.getByRole('button', { name: 'Remove speed:gt:10' }).click();
    await expectTexts(outcomes, ['c', 'b']);
    await page.getByLabel('External id').fill('nothing');
    await page.getByLabel('External id').press('Enter');
    await page.getByText('No event matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expectTexts(outcomes, ['c', 'b', 'a']);
    await page.getByLabel('Schema').selectOption('safety_alert');
    await expectTexts(outcomes, []);
    expect(problems).toEqual([]);
  });

  test('leaves out drafts, and what was stored outside a time range', async () => {
    const store = await open();
    await store.post('/v2/events', { ...plainEvent, event_data: { value: 'open' }, draft: true });
    await store.post('/v2/events', { ...plainEvent, event_data: { value: 'done' } });
    const { page, problems } = await show(store);
    const outcomes = page.locator('.card .outcome');
    await expectTexts(outcomes, ['done', 'open']);
    await page.getByLabel('Drafts').uncheck();
    await expectTexts(outcomes, ['done']);
    await page.getByLabel('Stored').selectOption('range');
    await page.getByRole('textbox', { name: 'Until' }).fill('2020-01-01T00:00:00');
    await expectTexts(outcomes, []);
    await page.getByRole('textbox', { name: 'Until' }).fill('2099-01-01T00:00:00');
    await page.getByRole('textbox', { name: 'From' }).fill('2020-01-01T00:00:00');
    await page.getByRole('textbox', { name: 'From' }).press('Enter');
    await expectTexts(outcomes, ['done']);
    expect(problems).toEqual([]);
  });

  test('shows new events by itself, and the state that others take', async () => {
    const store = await open();
    const { page, problems } = await show(store);
    await page.getByText('No events yet').waitFor();
    const created = await store.post('/v2/events', { ...plainEvent, draft: true });
    await expectTexts(page.locator('.card .badge'), ['draft']);
    await store.post(`/v2/events/${created.text('id')}/finalize`);
    await store.post(`/v2/events/${created.text('id')}/hold`, { reason: 'Claim 4711' });
    await expectTexts(page.locator('.card .badge'), ['stored', 'held']);
    expect(await page.locator('.badge.held').getAttribute('title')).toBe('Claim 4711');
    expect(problems).toEqual([]);
  });

  test('moves nothing under a reader, and says how many new events there are', async () => {
    const store = await open();
    await fill(store, 40);
    const { page, problems } = await show(store);
    await page.locator('.card').nth(30).scrollIntoViewIfNeeded();
    const before = await rectOf(page.locator('.card').nth(30));
    const name = await page.locator('.card').nth(30).getAttribute('data-id');
    await fill(store, 3);
    await expectTexts(page.locator('#new'), ['3 new events']);
    const after = await rectOf(page.locator(`[data-id="${name}"]`));
    // Chromium lays out in parts of a pixel.
    expect(Math.abs(after.y - before.y)).toBeLessThan(1);
    expect({ ...after, y: before.y }).toEqual(before);
    expect(await page.locator('.card').count()).toBe(40);
    await page.getByRole('button', { name: '3 new events' }).click();
    expect(await page.locator('.card').count()).toBe(43);
    expect(await page.evaluate('scrollY')).toBe(0);
    expect(problems).toEqual([]);
  });

  test('loads the list anew when very many events came while somebody read', async () => {
    const store = await open();
    await fill(store, 1);
    const { page, problems } = await show(store);
    await page.locator('.card a').click();
    await page.locator('#details').waitFor();
    await fill(store, 520, undefined, 32);
    await expectTexts(page.locator('#new'), ['Many new events']);
    expect(await page.locator('.card').count()).toBe(1);
    await page.getByRole('button', { name: 'Many new events' }).click();
    await expect.poll(() => page.locator('.card').count()).toBe(100);
    expect(await page.locator('#new').isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  test('asks nothing while nobody looks', async () => {
    const store = await open();
    const { page, requests } = await show(store);
    await page.waitForSelector('#connection[data-state=live]');
    const setHidden = (isHidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await setHidden(true);
    await page.waitForSelector('#connection[data-state=paused]');
    const asked = requests.length;
    await page.clock.runFor(20_000);
    await page.waitForTimeout(200);
    expect(requests).toHaveLength(asked);
    await setHidden(false);
    await page.waitForSelector('#connection[data-state=live]');
    expect(requests.length).toBeGreaterThan(asked);
  });

  test('says when the service is gone, and goes on when it is back', async () => {
    const store = await open();
    await fill(store, 1);
    const { page } = await show(store);
    await page.waitForSelector('#connection[data-state=live]');
    await page.context().setOffline(true);
    await expectTexts(page.getByRole('alert'), ['The service does not answer.']);
    expect(await page.locator('.card').count()).toBe(1);
    await page.context().setOffline(false);
    await expectTexts(page.locator('#connection'), ['Live']);
    expect(await page.locator('#problem').isVisible()).toBe(false);
  });

  test('says that there is no such event, and goes on', async () => {
    const store = await open();
    await fill(store, 1);
    const { page } = await show(store, '/#event/01a1fd1c-2d6b-7000-a807-fedf945d0ed6');
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'There is no event' }).waitFor();
    await page.waitForSelector('#connection[data-state=live]');
    expect(await alert.isVisible()).toBe(true);
    await page.locator('.card a').click();
    await page.locator('#details').waitFor();
    await alert.waitFor({ state: 'hidden' });
  });

  test('is used with the keyboard alone', async () => {
    const store = await open();
    await fill(store, 3);
    const { page, problems } = await show(store);
    const links = page.locator('.card a');
    await links.first().focus();
    await page.keyboard.press('Enter');
    await page.locator('#details-title:focus').waitFor();
    const shown = page.locator('#details-state .outcome');
    expect(await shown.textContent()).toBe('event 2');
    await page.keyboard.press('ArrowRight');
    await expectTexts(shown, ['event 1']);
    await page.keyboard.press('ArrowLeft');
    await expectTexts(shown, ['event 2']);
    await page.keyboard.press('Escape');
    await page.locator('#details').waitFor({ state: 'hidden' });
    expect(await page.locator('.card a:focus').textContent()).toContain('event 2');
    await page.goBack();
    await page.locator('#details').waitFor();
    expect(problems).toEqual([]);
  });

  test('axe finds nothing serious, in light, dark and narrow', async () => {
    const store = await open();
    const { page } = await show(store);
    await page.getByText('No events yet').waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    await fill(store, 3, await picture());
    await expect.poll(() => page.locator('.card').count(), { timeout: 20_000 }).toBe(3);
    expect(await violationsOfAll(page)).toEqual([]);
    await page.locator('.card a').first().click();
    await page.locator('#details').waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
  });

  const patience = { timeout: 120_000 };
  test('stays whole with 700 events, and loads only what is near', patience, async () => {
    const store = await open();
    await fill(store, 700, await picture(), 64);
    const { page, problems, requests } = await show(store);
    const cards = page.locator('.card');
    await page.waitForSelector('#connection[data-state=live]');
    expect(await cards.count()).toBe(100);
    expect(requests.filter((path) => path.startsWith('/images/')).length).toBeLessThan(80);
    await expect
      .poll(async () => {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        return cards.count();
      }, patience)
      .toBe(700);
    expect(await page.getByRole('button', { name: 'Older events' }).isVisible()).toBe(false);
    const ids = await cards.evaluateAll((all: { dataset: { id: string } }[]) =>
      all.map(({ dataset }) => dataset.id),
    );
    expect(new Set(ids).size).toBe(700);
    expect(problems).toEqual([]);
  });
});
