// The page for people, in a real Chromium on a real store.

import { readFile } from 'node:fs/promises';
import type { Browser, Locator } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  openTestEventStore,
  plainEvent,
  type TestEventStore,
  type TestEventStoreOptions,
} from '../fixtures/event-store.ts';
import { hasChromium, inChromium, openBrowser, type Visit, visit } from './browser.ts';

const stores: TestEventStore[] = [];
const visits: Visit[] = [];
let browser: Browser;

beforeAll(async () => {
  if (hasChromium) browser = await openBrowser();
});

afterEach(async () => {
  for (const { page } of visits.splice(0)) await page.context().close();
  for (const store of stores.splice(0)) await store.close();
});

afterAll(() => browser?.close());

describe.skipIf(!hasChromium)(inChromium, () => {
  test('shows events newest first, with outcome, origin and state', async () => {
    const store = await open();
    await store.post('/v2/events', {
      ...plainEvent,
      event_schema: 'quality_check',
      event_data: { result: 'fail' },
      device_id: 'camera-1',
      images: [{ base64Image: await picture(), objectDetections: [box(60, 40, 20, 10)] }],
    });
    await store.post('/v2/events', { ...plainEvent, event_data: { value: 'second' }, draft: true });
    const { page, problems } = await show(store);
    const cards = page.locator('.card');
    await expectTexts(cards.locator('.schema'), ['custom', 'quality check']);
    await expectTexts(cards.locator('.outcome'), ['second', 'fail']);
    await expectTexts(cards.locator('.badge'), ['draft', 'waiting']);
    expect(await cards.nth(1).locator('.card-origin').textContent()).toBe('camera-1 · part');
    expect(await page.locator('#figures').textContent()).toContain('Drafts1');
    expect(await page.getByRole('meter', { name: 'Events' }).count()).toBe(1);
    await page.waitForSelector('#connection[data-state=live]');
    expect(problems).toEqual([]);
  });

  test('draws boxes, outlines and keypoints where they are', async () => {
    const store = await open();
    const seen = { class: 'part', confidence: 0.97 };
    await store.post('/v2/events', {
      ...plainEvent,
      images: [
        {
          base64Image: await picture(),
          objectDetections: [box(100, 50, 40, 20)],
          instanceSegmentations: [
            {
              ...box(30, 60, 40, 40),
              points: [
                [10, 40],
                [50, 40],
                [30, 80],
              ],
            },
          ],
          keypoints: [{ ...seen, ...box(160, 80, 20, 20), keypoints: [{ id: 0, x: 164, y: 84 }] }],
        },
      ],
    });
    const { page, problems } = await show(store);
    // The image of 200 x 100 fills the width of its place, and lies in the middle of its height.
    const small = await rectOf(page.locator('.card .picture'));
    const scale = small.width / 200;
    const top = (small.height - 100 * scale) / 2;
    const shapes = await shapeOf(page.locator('.card .halo'));
    expect(shapes.x - small.x).toBeCloseTo(10 * scale, 0);
    expect(shapes.y - small.y).toBeCloseTo(top + 40 * scale, 0);
    expect(shapes.width).toBeCloseTo(160 * scale, 0);
    expect(shapes.height).toBeCloseTo(50 * scale, 0);

    await page.locator('.card a').click();
    await page.waitForSelector('.stage.is-loaded');
    const stage = await rectOf(page.locator('.stage img'));
    expect(stage.width / stage.height).toBeCloseTo(2, 1);
    const large = stage.width / 200;
    const expected = [
      { left: 80, top: 40, width: 40, height: 20 },
      { left: 10, top: 40, width: 40, height: 40 },
      { left: 150, top: 70, width: 20, height: 20 },
    ];
    for (const [index, at] of expected.entries()) {
      const drawn = await shapeOf(page.locator(`.finding[data-index="${index}"] .shape`));
      expect(drawn.x - stage.x).toBeCloseTo(at.left * large, 0);
      expect(drawn.y - stage.y).toBeCloseTo(at.top * large, 0);
      expect(drawn.width).toBeCloseTo(at.width * large, 0);
      expect(drawn.height).toBeCloseTo(at.height * large, 0);
    }
    const joint = await shapeOf(page.locator('.finding .joint'));
    expect(joint.x - stage.x).toBeCloseTo(164 * large, 0);
    expect(joint.y - stage.y).toBeCloseTo(84 * large, 0);
    await expectTexts(page.locator('.label'), ['part 97 %', 'part 97 %', 'part 97 %']);
    const label = await rectOf(page.locator('.label').first());
    expect(label.x - stage.x).toBeCloseTo(80 * large, 0);
    expect(label.y - stage.y).toBeCloseTo(40 * large, 0);
    await page.getByRole('button', { name: 'part 3' }).click();
    expect(await page.locator('.finding').first().isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

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
    await expectTexts(page.locator('.card .badge'), ['waiting', 'held']);
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
    expect(await rectOf(page.locator(`[data-id="${name}"]`))).toEqual(before);
    expect(await page.locator('.card').count()).toBe(40);
    await page.getByRole('button', { name: '3 new events' }).click();
    expect(await page.locator('.card').count()).toBe(43);
    expect(await page.evaluate('scrollY')).toBe(0);
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

  test('lets no text of an event become a program or an element', async () => {
    const store = await open();
    const evil = '"><img src=x onerror="alert(1)"><script>alert(2)</script>';
    const created = await store.post('/v2/events', {
      inference_timestamp: '2026-11-20T10:00:00Z',
      event_schema: 'custom',
      event_data: { value: evil, externalId: evil },
      solution: evil,
      workflow_id: evil,
      workflow_version: evil,
      device_id: evil,
      stream_id: 'javascript:alert(3)',
      image_id: evil,
      custom_metadata: { note: evil },
      images: [
        {
          label: evil,
          base64Image: await picture(),
          objectDetections: [{ ...box(60, 40, 20, 10), class: evil }],
          classifications: [{ class: evil, confidence: 0.5 }],
          instanceSegmentations: [{ ...box(60, 40, 20, 10), class: evil, points: [] }],
          keypoints: [{ ...box(60, 40, 20, 10), class: evil, keypoints: [] }],
          metadata: { [evil]: evil },
        },
      ],
      draft: true,
    });
    expect(created.status).toBe(201);
    const id = created.text('id');
    const file = Buffer.from('<script>alert(4)</script>');
    await store.upload(`/v2/events/${id}/local-only-files`, [
      ['label', evil],
      ['file', file],
    ]);
    await store.post(`/v2/events/${id}/hold`, { reason: evil });
    const { page, problems } = await show(store);
    await page.locator('.card a').click();
    await page.waitForSelector('.stage.is-loaded');
    await page.waitForTimeout(300);
    expect(await page.locator('.card .outcome').textContent()).toBe(evil);
    expect(await page.locator('#details-data').textContent()).toContain(`note${evil}`);
    expect(await page.locator('.files a').textContent()).toBe(evil);
    expect(await page.locator('.label').first().textContent()).toBe(`${evil} 97 %`);
    expect(await page.locator('body script, img[src="x"], [onerror]').count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('plays videos by ranges, and offers local-only files as downloads', async () => {
    const store = await open();
    const created = await store.post('/v2/events', { ...plainEvent, draft: true });
    const clip = await readFile('test/fixtures/clip.webm');
    const path = `/v2/events/${created.text('id')}`;
    await store.upload(`${path}/videos`, [
      ['label', 'overview'],
      ['file', clip],
    ]);
    await store.upload(`${path}/local-only-files`, [
      ['label', 'log'],
      ['content_type', 'text/html'],
      ['file', Buffer.from('<p>A page</p>')],
    ]);
    const { page, problems } = await show(store);
    await expectTexts(page.locator('.card .mark'), ['video', 'file']);
    await page.locator('.card a').click();
    const video = page.locator('video');
    await video.waitFor();
    const played = await video.evaluate(async (element: Video) => {
      element.muted = true;
      await element.play();
      const { promise, resolve } = Promise.withResolvers<void>();
      element.addEventListener('seeked', resolve);
      element.currentTime = 1.5;
      await promise;
      return { width: element.videoWidth, seconds: element.currentTime };
    });
    expect(played.width).toBe(64);
    expect(played.seconds).toBeGreaterThanOrEqual(1.5);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'log' }).click();
    expect(await readFile(await (await download).path(), 'utf8')).toBe('<p>A page</p>');
    expect(problems).toEqual([]);
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

  test('lists deletions with their reasons', async () => {
    const store = await open({ settings: { MAX_RECORDS: '2', CLEANUP_SECONDS: '0.2' } });
    await fill(store, 5);
    const { page, problems } = await show(store, '/#deletions');
    await page.locator('#deletion-rows tr').first().waitFor();
    expect(await page.locator('#deletion-rows tr').first().textContent()).toContain(
      'limit of events',
    );
    expect(problems).toEqual([]);
  });

  test('opens with the key as the password, pictures included', async () => {
    const key = 'a-key-for-the-page';
    const store = await open({ settings: { API_KEY: key } });
    const refused = await store.get('/', { accept: 'text/html' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Basic realm="Event Store", charset="UTF-8"',
    );
    const images = [{ base64Image: await picture() }];
    await store.post('/v2/events', { ...plainEvent, images }, { 'x-api-key': key });
    const httpCredentials = { username: 'anybody', password: key };
    const { page, problems } = await show(store, '/', { httpCredentials });
    await page.locator('.card').waitFor();
    await expect
      .poll(() =>
        page.locator('.card img').evaluate((img: { naturalWidth: number }) => img.naturalWidth),
      )
      .toBe(200);
    expect(problems).toEqual([]);
  });

  test('stays whole with 2,000 events, and loads only the pictures that are near', async () => {
    const store = await open();
    await fill(store, 2_000, await picture(), 64);
    const { page, problems, requests } = await show(store);
    const cards = page.locator('.card');
    await page.waitForSelector('#connection[data-state=live]');
    expect(await cards.count()).toBe(100);
    expect(requests.filter((path) => path.startsWith('/images/')).length).toBeLessThan(80);
    await expect
      .poll(
        async () => {
          await page.evaluate('scrollTo(0, document.body.scrollHeight)');
          return cards.count();
        },
        { timeout: 50_000 },
      )
      .toBe(2_000);
    expect(await page.getByRole('button', { name: 'Older events' }).isVisible()).toBe(false);
    const ids = await cards.evaluateAll((all: { dataset: { id: string } }[]) =>
      all.map(({ dataset }) => dataset.id),
    );
    expect(new Set(ids).size).toBe(2_000);
    expect(problems).toEqual([]);
  });
});

describe('its files', () => {
  let store: TestEventStore;

  beforeAll(async () => {
    store = await openTestEventStore();
  });

  afterAll(() => store.close());

  test('are sent with their types, and not again when they are known', async () => {
    const types = {
      '/': 'text/html',
      '/page/main.js': 'text/javascript',
      '/page/base.css': 'text/css',
    };
    for (const [path, type] of Object.entries(types)) {
      const { status, headers } = await store.get(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("script-src 'self';");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      const again = await store.get(path, { 'if-none-match': headers.get('etag') ?? '' });
      expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: '' });
    }
  });

  test.each([
    '/page/',
    '/page/types.ts',
    '/page/tsconfig.json',
    '/page/..%2fpage-routes.ts',
    '/page/%2e%2e/page-routes.ts',
    '/page/../../../package.json',
    '/page/main.js%00.css',
  ])('are a closed list: %s is nothing', async (path) => {
    expect((await store.get(path)).status).toBe(404);
  });

  test('have every script and style that the page names, and nothing inline', async () => {
    const html = String((await store.get('/')).body);
    const named = [...html.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path]) => path);
    expect(named.length).toBeGreaterThan(5);
    for (const path of named) expect((await store.get(String(path))).status).toBe(200);
    expect(html).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
  });
});

async function open(options?: TestEventStoreOptions): Promise<TestEventStore> {
  const store = await openTestEventStore(options);
  stores.push(store);
  return store;
}

async function show(
  store: TestEventStore,
  path = '/',
  options: Parameters<typeof visit>[2] = {},
): Promise<Visit> {
  const opened = await visit(browser, store.url + path, options);
  visits.push(opened);
  return opened;
}

/** An image of 200 x 100 pixels. */
async function picture(): Promise<string> {
  const create = { width: 200, height: 100, channels: 3, background: '#446688' } as const;
  return (await sharp({ create }).png().toBuffer()).toString('base64');
}

/** `class` and `confidence` are always the same. */
function box(x: number, y: number, width: number, height: number) {
  return { class: 'part', confidence: 0.97, x, y, width, height };
}

/** Events with the values `event 0` and so on, so many at the same time. */
async function fill(store: TestEventStore, count: number, base64Image?: string, atOnce = 1) {
  const images = [{ base64Image, objectDetections: [box(60, 40, 20, 10)] }];
  const indexes = Array.from({ length: count }, (_, index) => index);
  const post = async () => {
    for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) {
      await store.post('/v2/events', {
        ...plainEvent,
        event_data: { value: `event ${index}` },
        ...(base64Image !== undefined && { images }),
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, post));
}

/** The corner and the size of an SVG shape without its stroke, in pixels of the screen. */
function shapeOf(locator: Locator) {
  return locator.evaluate((shape: Shape) => {
    const { a, d, e, f } = shape.getScreenCTM();
    const { x, y, width, height } = shape.getBBox();
    return { x: a * x + e, y: d * y + f, width: a * width, height: d * height };
  });
}

/** What the tests use of elements; the types of browsers are not at home in this project. */
interface Shape {
  getScreenCTM(): {
    readonly a: number;
    readonly d: number;
    readonly e: number;
    readonly f: number;
  };
  getBBox(): {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
}

interface Video {
  muted: boolean;
  currentTime: number;
  readonly videoWidth: number;
  play(): Promise<void>;
  addEventListener(name: string, listener: () => void): void;
}

async function rectOf(locator: Locator) {
  const rect = await locator.boundingBox();
  if (rect === null) throw new Error('It is not on the page.');
  return rect;
}

/** Waits until these are the texts; the clock of the page runs ahead meanwhile. */
async function expectTexts(locator: Locator, texts: readonly string[]): Promise<void> {
  const look = async () => {
    await locator.page().clock.runFor(1_000);
    return locator.allTextContents();
  };
  await expect.poll(look, { timeout: 20_000 }).toEqual(texts);
}
