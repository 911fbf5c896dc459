// What the tests of the page share: a browser, stores that go with their test, and measures.

import type { Browser, BrowserContextOptions, Locator } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  openTestEventStore,
  plainEvent,
  type TestEventStore,
  type TestEventStoreOptions,
} from '../fixtures/event-store.ts';
import { hasChromium, openBrowser, type Visit, visit } from './chromium.ts';

export interface Pages {
  /** A store that is closed after its test. */
  open(options?: TestEventStoreOptions): Promise<TestEventStore>;
  /** Its page, in a profile of its own. */
  show(store: TestEventStore, path?: string, options?: BrowserContextOptions): Promise<Visit>;
}

/** One browser for the tests of a file. */
export function usePages(): Pages {
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
  return {
    open: async (options) => {
      const store = await openTestEventStore(options);
      stores.push(store);
      return store;
    },
    show: async (store, path = '/', options = {}) => {
      const opened = await visit(browser, store.url + path, options);
      visits.push(opened);
      return opened;
    },
  };
}

/** An image of 200 x 100 pixels. */
export async function picture(): Promise<string> {
  const create = { width: 200, height: 100, channels: 3, background: '#446688' } as const;
  return (await sharp({ create }).png().toBuffer()).toString('base64');
}

/** `class` and `confidence` are always the same. */
export function box(x: number, y: number, width: number, height: number) {
  return { class: 'part', confidence: 0.97, x, y, width, height };
}

/** Events with the values `event 0` and so on, so many at the same time. */
export async function fill(store: TestEventStore, count: number, base64Image?: string, atOnce = 1) {
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
export function shapeOf(locator: Locator) {
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

export async function rectOf(locator: Locator) {
  const rect = await locator.boundingBox();
  if (rect === null) throw new Error('It is not on the page.');
  return rect;
}

/** Waits until these are the texts; the clock of the page runs ahead meanwhile. */
export async function expectTexts(locator: Locator, texts: readonly string[]): Promise<void> {
  const look = async () => {
    await locator.page().clock.runFor(1_000);
    return locator.allTextContents();
  };
  await expect.poll(look, { timeout: 20_000 }).toEqual(texts);
}
