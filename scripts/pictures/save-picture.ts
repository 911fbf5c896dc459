// Pictures of pages, as small files of docs/.

import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

/** Writes `docs/NAME.png`. */
export async function savePicture(page: Page, name: string): Promise<void> {
  await saveImage(await page.screenshot(), name);
}

/** `widthMax` in pixels. As a palette it is a third of the size. */
export async function saveImage(bytes: Uint8Array, name: string, widthMax?: number): Promise<void> {
  const target = `docs/${name}.png`;
  await sharp(bytes)
    .resize({ width: widthMax, withoutEnlargement: true })
    .png({ palette: true, quality: 90, effort: 10 })
    .toFile(target);
  process.stderr.write(`${target}: ${(await stat(target)).size} bytes\n`);
}

/** The pictures of the page that are in view. */
export async function allLoaded(page: Page): Promise<void> {
  const isOpen = 'img.getBoundingClientRect().top < innerHeight && !img.complete';
  const open = `[...document.querySelectorAll("main img")].some((img) => ${isOpen})`;
  while (await page.evaluate(open)) await sleep(50);
}
