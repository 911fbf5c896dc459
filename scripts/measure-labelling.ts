// A day on the labelling page, by recorded gestures in Chromium: what a box takes, how soon
// pictures are there, what frames cost, and whether the tab grows.
// `npm run measure:labelling -- [--rows N] [--images N] [--part NAME] [--beside NAME] [--write]`;
// parts: day, pictures, frames, memory. Beside: label-studio, which npm gives for this run alone.

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
import { toolBeside } from './measure-labelling/beside/beside.ts';
import { labelDay, wordsOf } from './measure-labelling/day.ts';
import { openFoveaPage, openView, pictureIsThere } from './measure-labelling/fovea-page.ts';
import {
  addRows,
  dayClasses,
  dayLabels,
  makePictures,
  sendLarge,
  sendProjects,
} from './measure-labelling/seed.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    images: { type: 'string', default: '500' },
    part: { type: 'string', multiple: true, default: ['day', 'pictures', 'frames', 'memory'] },
    beside: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
  },
});
const [rows, images] = [Number(values.rows), Number(values.images)];
const framesPerGesture = 120;

const toolsBeside = values.beside.map(toolBeside);
/** Of the block in docs/benchmarks.md. */
const besideWords =
  values.beside.length === 0 ? [] : ['--', '--part', 'day', '--beside', ...values.beside];
if (besideWords.length > 0 && values.part.join(' ') !== 'day') {
  throw new Error('--beside goes with --part day.');
}

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
  if (values.part.includes('day')) await measureDay(page, service.url);
  if (values.part.includes('pictures')) await measurePictures(page, service.url, indexed);
  if (values.part.includes('frames')) await measureFrames(page);
  if (values.part.includes('memory')) await measureMemory(page);
  await service.close();
  if (values.write) said.write(['npm run measure:labelling', ...besideWords].join(' '));
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

/** In a published tool too, if one is asked for. */
async function measureDay(page: Page, url: string): Promise<void> {
  const wanted = await dayLabels();
  const tool = await openFoveaPage(page, wanted.size, dayClasses, { url, key });
  const days = [await labelDay(tool, wanted)];
  for (const open of toolsBeside) {
    const other = await open(browser, [...wanted.keys()]);
    days.push(await labelDay(other.tool, wanted));
    await other.close();
  }
  said.say(wordsOf(days));
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
  await openView(page, '#project/dense/annotate/');
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
  await openView(page, '#project/large/annotate/');
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

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
