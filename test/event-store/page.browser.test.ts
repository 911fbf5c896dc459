// What the page shows of events, in a real Chromium on a real store; and its files.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestEventStore, plainEvent, type TestEventStore } from '../fixtures/event-store.ts';
import { hasChromium, inChromium } from './chromium.ts';
import { box, expectTexts, fill, picture, rectOf, shapeOf, usePages } from './open-pages.ts';

const { open, show } = usePages();

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
    await expectTexts(cards.locator('.badge'), ['draft', 'stored']);
    expect(await cards.nth(1).locator('.card-origin').textContent()).toBe('camera-1 · part');
    await expect.poll(() => page.locator('#figures').textContent()).toContain('Drafts1');
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
    // Until figures have come into the header, it still moves what is below it.
    await vi.waitFor(async () => {
      const small = await rectOf(page.locator('.card .picture'));
      const scale = small.width / 200;
      const top = (small.height - 100 * scale) / 2;
      const shapes = await shapeOf(page.locator('.card .halo'));
      expect(shapes.x - small.x).toBeCloseTo(10 * scale, 0);
      expect(shapes.y - small.y).toBeCloseTo(top + 40 * scale, 0);
      expect(shapes.width).toBeCloseTo(160 * scale, 0);
      expect(shapes.height).toBeCloseTo(50 * scale, 0);
    }, 10_000);

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

  test('lists deletions with their reasons', async () => {
    const store = await open({ settings: { MAX_RECORDS: '2', CLEANUP_SECONDS: '0.2' } });
    const { page, problems } = await show(store, '/#deletions');
    await page.getByText('Nothing was ever removed from this store.').waitFor();
    expect(await page.locator('.views [aria-current=page]').textContent()).toBe('Deletions');
    await fill(store, 5);
    const reasons = page.locator('#deletion-rows tr td:nth-child(2)');
    await expectTexts(reasons, ['limit of events', 'limit of events', 'limit of events']);
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
    const url = store.url.replace('http://', `http://anybody:${key}@`);
    const { page: named } = await show({ ...store, url });
    await named.locator('.card').waitFor();
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
      '/page/event-store/page/main.js': 'text/javascript',
      '/page/http-server/page-assets/base.css': 'text/css',
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
    '/page/event-store/page/types.ts',
    '/page/event-store/page/tsconfig.json',
    '/page/event-store/page/..%2fpage-routes.ts',
    '/page/event-store/page/%2e%2e/page-routes.ts',
    '/page/http-server/page-assets/../../../package.json',
    '/page/event-store/page/main.js%00.css',
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

/** What the test uses of a video; the types of browsers are not at home in this project. */
interface Video {
  muted: boolean;
  currentTime: number;
  readonly videoWidth: number;
  play(): Promise<void>;
  addEventListener(name: string, listener: () => void): void;
}
