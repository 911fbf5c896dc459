// The labelling page as a tool of the day.

import type { Page } from 'playwright-core';
import type { LabellingTool } from './day.ts';
import { Hand } from './hand.ts';
import type { LabelledBox } from './seed.ts';

/** Resolves once the picture is loaded. */
export const pictureIsThere = `new Promise((resolve) => {
  const look = () => {
    const photo = document.querySelector('main:not([aria-busy]) .canvas img');
    if (photo?.complete && photo.naturalWidth > 0) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Shows a view that labels, with its picture. */
export async function openView(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  await page.locator('main:not([aria-busy]) .canvas').waitFor();
  await page.evaluate(pictureIsThere);
}

/**
 * A number after a box has been drawn changes its class, which the boxes after it have too. A drag
 * on the chosen box moves it; others are drawn over.
 */
export async function openFoveaPage(
  page: Page,
  images: number,
  classes: readonly string[],
  service: { readonly url: string; readonly key: string },
): Promise<LabellingTool> {
  await openView(page, '#project/day/annotate/');
  for (const name of classes) {
    await page.getByLabel('New class').fill(name);
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Tab');
  const hand = new Hand(page);
  let [shown, chosen] = [1, classes.at(-1) ?? ''];
  return {
    name: 'the labelling page',
    hand,
    current: async () => (await page.locator('main h2').textContent()) ?? '',
    picture: async () => {
      const place = await page.locator('.stage').boundingBox();
      if (place === null) throw new Error('There is no picture.');
      return { left: place.x, top: place.y, width: place.width, height: place.height };
    },
    before: async () => undefined,
    after: async (box) => {
      if (box.class !== chosen) await hand.press(String(classes.indexOf(box.class) + 1));
      chosen = box.class;
    },
    inTheWay: (drawn) => drawn.slice(-1),
    wayOut: { pressed: 'Escape' },
    next: async () => {
      if (shown === images) {
        await page.getByRole('status').getByText('Saved.').waitFor();
        return;
      }
      await hand.press('n');
      shown += 1;
      await page.getByText(`${shown} of ${images}`, { exact: true }).waitFor();
      await page.evaluate(pictureIsThere);
    },
    stored: () => readStored(service),
  };
}

async function readStored({ url, key }: { readonly url: string; readonly key: string }) {
  const read = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(url + path, { headers, ...request });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.text();
  };
  const query = { query: 'project:day', pageSize: 250 };
  const found: { results: readonly { id: string }[] } = JSON.parse(
    await read('/measured/search/v1', query),
  );
  const stored = new Map<string, readonly LabelledBox[]>();
  for (const { id } of found.results) {
    const answer = await read(`/measured/day/images/${id}`);
    const { image }: { image: StoredImage } = JSON.parse(answer);
    stored.set(image.name, (image.annotation?.boxes ?? []).map(fromWire));
  }
  return stored;
}

interface StoredImage {
  readonly name: string;
  readonly annotation?: { readonly boxes?: readonly StoredBox[] };
}

/** `x` and `y` are the middle. */
interface StoredBox {
  readonly label: string;
  readonly x: number | string;
  readonly y: number | string;
  readonly width: number | string;
  readonly height: number | string;
}

function fromWire({ label, x, y, width, height }: StoredBox): LabelledBox {
  const size = { width: Number(width), height: Number(height) };
  return {
    class: label,
    left: Number(x) - size.width / 2,
    top: Number(y) - size.height / 2,
    width: size.width,
    height: size.height,
  };
}
