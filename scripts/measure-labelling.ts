// A day on the labelling page, by recorded gestures in Chromium: what a box takes, how soon
// pictures are there, what frames cost, and whether the tab grows.
// `npm run measure:labelling -- [--rows N] [--images N] [--part NAME] [--write]`; the parts: day,
// pictures, frames, memory.

import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { Said } from '../bench/measure/said.ts';
import { median } from '../bench/measure/text-table.ts';
import { systemClock } from '../src/clock.ts';
import { createLog } from '../src/log.ts';
import { startPlatform } from '../src/platform/platform.ts';
import { Secret } from '../src/secret.ts';
import { openBrowser } from '../test/event-store/chromium.ts';
import {
  addRows,
  dayImages,
  labelledBoxes,
  makePictures,
  sendLarge,
  sendProjects,
} from './measure-labelling/seed.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    images: { type: 'string', default: '500' },
    part: { type: 'string', multiple: true, default: ['day', 'pictures', 'frames', 'memory'] },
    write: { type: 'boolean', default: false },
  },
});
const [rows, images] = [Number(values.rows), Number(values.images)];
/** Images that are labelled, each with so many boxes. */
const [dayImagesMax, boxesMax] = [50, 5];
const framesPerGesture = 120;

/** Resolves once the picture is loaded. */
const pictureIsThere = `new Promise((resolve) => {
  const look = () => {
    const photo = document.querySelector('main:not([aria-busy]) .canvas img');
    if (photo?.complete && photo.naturalWidth > 0) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

const key = 'a-key-for-measuring';
const data = await mkdtemp(join(tmpdir(), 'fovea-measure-labelling-'));
const said = new Said();
const browser = await openBrowser();
try {
  const pictures = await makePictures(images);
  const first = await start();
  await sendProjects(first.url, key);
  await first.close();
  addRows(data, rows);
  const startMs = performance.now();
  const service = await start();
  const indexed = allFound(service.url).then(() => (performance.now() - startMs) / 1000);
  await sendLarge(service.url, key, pictures);
  const page = await signedIn(service.url);
  if (values.part.includes('day')) await measureDay(page);
  if (values.part.includes('pictures')) await measurePictures(page, service.url, indexed);
  if (values.part.includes('frames')) await measureFrames(page);
  if (values.part.includes('memory')) await measureMemory(page);
  await service.close();
  if (values.write) said.write('npm run measure:labelling');
} finally {
  await browser.close();
  rmSync(data, { recursive: true });
}

function start() {
  return startPlatform({
    data,
    host: '127.0.0.1',
    port: 0,
    workspace: 'measured',
    keys: [new Secret(key)],
    log: createLog('warn'),
    clock: systemClock,
  });
}

async function signedIn(url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('link', { name: 'Day' }).waitFor();
  return page;
}

/** The boxes of real labels are drawn; a class is chosen by its number where it is another one. */
async function measureDay(page: Page): Promise<void> {
  const wanted = await labelledBoxes();
  let [clicks, keys, boxes] = [0, 0, 0];
  const classes = ['RBC', 'WBC', 'Platelets'];
  await open(page, '#project/day/annotate/');
  const names = await dayImages(dayImagesMax);
  const press = async (one: string) => {
    keys += 1;
    await page.keyboard.press(one);
  };
  for (const name of classes) {
    await page.getByLabel('New class').fill(name);
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Tab');
  const startMs = performance.now();
  for (let image = 0; image < names.length; image += 1) {
    const title = (await page.locator('main h2').textContent()) ?? '';
    let chosen = '';
    for (const box of (wanted.get(sourceOf(title)) ?? []).slice(0, boxesMax)) {
      if (box.class !== chosen) await press(String(classes.indexOf(box.class) + 1));
      chosen = box.class;
      await drawBox(page, box);
      clicks += 1;
      boxes += 1;
      await press('Escape');
    }
    await page.getByRole('status').getByText('Saved.').waitFor();
    if (image + 1 < names.length) await press('n');
    if (image + 1 < names.length)
      await page.getByText(`${image + 2} of ${names.length}`, { exact: true }).waitFor();
  }
  const seconds = (performance.now() - startMs) / 1000;
  said.say(
    `${boxes} boxes on ${names.length} images: ${(clicks / boxes).toFixed(2)} clicks, ` +
      `${(keys / boxes).toFixed(2)} keys and ${(seconds / boxes).toFixed(2)} s per box, all saved; ` +
      'the gestures take no time to think',
  );
}

/** `day-12 of BloodImage_00001.jpg`: the picture that it is made of. */
function sourceOf(title: string): string {
  return title.split(' of ')[1] ?? '';
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

async function drawBox(page: Page, { left, top, width, height }: Box): Promise<void> {
  const stage = await page.locator('.stage').boundingBox();
  if (stage === null) throw new Error('There is no picture.');
  // The pictures of the sample have 640 x 480 pixels.
  const at = (x: number, y: number): [number, number] => [
    stage.x + (x / 640) * stage.width,
    stage.y + (y / 480) * stage.height,
  ];
  await page.mouse.move(...at(left, top));
  await page.mouse.down();
  await page.mouse.move(...at(left + width, top + height), { steps: 5 });
  await page.mouse.up();
}

async function measurePictures(page: Page, url: string, indexed: Promise<number>): Promise<void> {
  said.say(
    `${rows} rows of before the index were all found ${(await indexed).toFixed(1)} s after the start`,
  );
  const firsts: number[] = [];
  for (let round = 0; round < 5; round += 1) firsts.push(await firstPicture(page, url));
  const nexts = await goThrough(page, Math.min(50, images - 1));
  const slow = nexts.toSorted((one, other) => one - other)[Math.floor(nexts.length * 0.95)] ?? 0;
  said.say(
    `in a project of ${rows + images + 1} images: the first picture after ${ms(median(firsts))}, at most ` +
      `${ms(Math.max(...firsts))} (1,000 wanted), the next one after ${ms(median(nexts))}, ` +
      `95 % within ${ms(slow)} (100 wanted)`,
  );
}

/** In milliseconds since the navigation began. */
async function firstPicture(page: Page, url: string): Promise<number> {
  await page.goto('about:blank');
  await page.goto(`${url}/#project/large/annotate/`);
  return Number(await page.evaluate(`${pictureIsThere}.then(() => performance.now())`));
}

/** Resolves once the index of searches has all images. */
async function allFound(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/measured/search/v1`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'project:large', pageSize: 1 }),
    });
    const { total = 0 }: { total?: number } = JSON.parse(await answer.text());
    if (total > rows) return;
    await sleep(100);
  }
}

/** Presses the key of the next image; gives how long each picture took, in milliseconds. */
async function goThrough(page: Page, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let step = 0; step < count; step += 1) {
    const took = await page.evaluate(`(async () => {
      const before = document.querySelector('main .canvas');
      const start = performance.now();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
      while (document.querySelector('main .canvas') === before) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      await ${pictureIsThere};
      return performance.now() - start;
    })()`);
    taken.push(Number(took));
  }
  return taken;
}

async function measureFrames(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await open(page, '#project/dense/annotate/');
  const zoomed = await workPerFrame(
    page,
    session,
    `canvas.dispatchEvent(new WheelEvent('wheel', {
      ctrlKey: true, deltaY: frame % 60 < 30 ? -12 : 12, clientX: 400, clientY: 450, cancelable: true }))`,
  );
  const key = "document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))";
  const stepped = await workPerFrame(
    page,
    session,
    `const key = frame % 8 < 4 ? '+' : '-'; ${key}`,
  );
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  const panned = await workPerFrame(page, session, 'canvas.scrollBy(frame % 60 < 30 ? 9 : -9, 5)');
  said.say(
    `500 objects on 20 megapixels: ${zoomed.toFixed(1)} ms of the main thread a frame at zoom, ` +
      `${panned.toFixed(1)} at pan (8 wanted); ${stepped.toFixed(1)} for a step of zoom by a key`,
  );
}

/**
 * All tasks of the main thread, layout and paint too, divided by the frames: processor time, which
 * the load of the machine does not change.
 */
async function workPerFrame(page: Page, session: CDPSession, act: string): Promise<number> {
  const before = await metric(session, 'TaskDuration');
  await page.evaluate(`(async () => {
    const canvas = document.querySelector('.canvas');
    for (let frame = 0; frame < ${framesPerGesture}; frame += 1) {
      ${act};
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  })()`);
  const after = await metric(session, 'TaskDuration');
  return ((after - before) * 1000) / framesPerGesture;
}

async function measureMemory(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await open(page, '#project/large/annotate/');
  const parts = 5;
  const heaps: string[] = [];
  for (let part = 0; part < parts; part += 1) {
    await goThrough(page, Math.floor((images - 1) / parts));
    await session.send('HeapProfiler.collectGarbage');
    const [heap, nodes] = [await metric(session, 'JSHeapUsedSize'), await metric(session, 'Nodes')];
    heaps.push(`${(heap / 1e6).toFixed(1)} MB, ${nodes} nodes`);
  }
  said.say(`heap of the tab after each fifth of ${images} images: ${heaps.join('; ')}`);
}

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((one) => one.name === name)?.value ?? Number.NaN;
}

async function open(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  await page.locator('main:not([aria-busy]) .canvas').waitFor();
  await page.evaluate(pictureIsThere);
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
