// From an event with a video to labelled frames: an agent takes the frames into a project by the
// words of the tools, and a person labels two of them and fills those in between.

import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium, inChromium, openBrowser, visit } from '../event-store/chromium.ts';
import { type EventStoreProcess, startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { startFovea } from '../fixtures/fovea-services.ts';
import { hasFfmpeg } from '../fixtures/has-ffmpeg.ts';
import { red, squaresOn } from '../fixtures/onnx-models.ts';

const deviceKey = 'the-key-of-the-device';

let store: EventStoreProcess;
let fovea: Fovea;
let browser: Browser;

beforeAll(async () => {
  store = await startEventStoreProcess({ environment: { API_KEY: deviceKey } });
  fovea = await launchFovea({ FOVEA_DEVICE_URL: store.url, FOVEA_DEVICE_API_KEY: deviceKey });
  await fovea.ok('projects_create', { name: 'Doors', type: 'object-detection', annotation: 'x' });
  if (hasChromium) browser = await openBrowser();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await fovea.close();
  await store.stop();
});

/** Seconds of 400 x 200 pixels, in which a square walks to the right. */
async function makeVideo(name: string, seconds = 5): Promise<string> {
  for (let second = 0; second < seconds; second += 1) {
    const square = { left: 20 + 60 * second, top: 40, colour: red };
    const picture = await squaresOn(400, 200, [square]);
    await writeFile(join(fovea.folder, `${second}.png`), picture);
  }
  const path = join(fovea.folder, name);
  const from = ['-framerate', '1', '-i', join(fovea.folder, '%d.png'), '-frames:v', `${seconds}`];
  const frames = [...from, '-q:v', '1'];
  expect(spawnSync('ffmpeg', ['-v', 'error', ...frames, '-c:v', 'mpeg4', path]).status).toBe(0);
  return path;
}

/** A draft that is final; gives its id. */
async function eventWith(videos: readonly string[]): Promise<string> {
  const given = { event_schema: 'custom', event_data: { value: 'door' }, draft: true };
  const { id } = await fovea.ok('events_create', given);
  for (const file of videos) await fovea.ok('events_attach_video', { event_id: id, file });
  await fovea.ok('events_finalize', { event_id: id });
  return String(id);
}

async function drag(page: Page, from: readonly [number, number], to: readonly [number, number]) {
  const stage = await page.locator('.stage').boundingBox();
  const at = ([x, y]: readonly [number, number]): [number, number] => [
    (stage?.x ?? 0) + (x / 400) * (stage?.width ?? 0),
    (stage?.y ?? 0) + (y / 200) * (stage?.height ?? 0),
  ];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 3 });
  await page.mouse.up();
  await page.getByRole('status').getByText('Saved.').waitFor();
}

test.runIf(hasFfmpeg)('says what is wrong with a request, and adds nothing then', async () => {
  const video = await makeVideo('wrong.mp4');
  const frames = async (args: Record<string, unknown>) => {
    const { isError, text } = await fovea.call('video_frames_upload', {
      project: 'doors',
      ...args,
    });
    expect(isError).toBe(true);
    return text;
  };
  expect(await frames({})).toContain('give either file or event_id');
  expect(await frames({ file: video, file_id: 'x' })).toContain('goes with event_id');
  expect(await frames({ file: video, offset: 9 })).toContain('less than the number of frames');
  expect(await frames({ file: 'sample/blood-cells/README.md' })).toContain('is no video');
  expect(await frames({ event_id: await eventWith([]) })).toContain('has no video');
  const two = await eventWith([video, await makeVideo('other.mp4', 2)]);
  expect(await frames({ event_id: two })).toContain('is needed: the event has');
  expect(await frames({ event_id: two, file_id: 'x' })).toContain('is none of its videos');
  const found = await fovea.ok('workspace_search', { query: 'project:doors' });
  expect(found).toMatchObject({ total: 0 });
});

describe.skipIf(!hasChromium || !hasFfmpeg)(inChromium, { timeout: 90_000 }, () => {
  test('from an event to labelled frames, in their order', async () => {
    const id = await eventWith([await makeVideo('door.mp4')]);
    const given = { project: 'doors', event_id: id, split: 'valid', tags: ['door'] };
    const taken = await fovea.call('video_frames_upload', given);
    expect(taken.text).toMatch(/^Uploaded 5 frames of .*, 1 a second\./);
    const again = await fovea.call('video_frames_upload', given);
    expect(again.text).toContain('Uploaded 0 frames of');
    expect(again.text).toContain('5 there already');
    const [first] = Object(taken.data).images;
    const { image } = await fovea.ok('images_get', { project: 'doors', imageId: first });
    expect(image).toMatchObject({
      name: `event-${id}-00000.jpg`,
      metadata: { event: id, seconds: 0 },
      split: 'valid',
      tags: ['door'],
    });
    const asked = { project: 'doors', query: `batch:"event-${id}"` };
    const { command } = await fovea.ok('annotation_review', asked);
    const environment = { HOME: fovea.home, FOVEA_HOME: fovea.home, FOVEA_NO_BROWSER: '1' };
    const service = await startFovea(String(command).split(' ').slice(1), environment);
    onTestFinished(() => service.stop());
    const { page, problems } = await visit(browser, service.url);
    onTestFinished(() => page.context().close());
    await page.getByText('1 of 5', { exact: true }).waitFor();
    await page.getByLabel('New class').fill('person');
    await page.keyboard.press('Enter');
    await drag(page, [20, 40], [60, 80]);
    for (let frame = 2; frame <= 5; frame += 1) {
      await page.keyboard.press('n');
      await page.getByText(`${frame} of 5`, { exact: true }).waitFor();
    }
    await drag(page, [260, 40], [300, 80]);
    await page.keyboard.press('Shift+F');
    await page.getByText('Filled 3 of 3 frames.').waitFor();
    const lefts = await Promise.all(
      Object(taken.data).images.map(async (imageId: string) => {
        const read = await fovea.ok('images_get', { project: 'doors', imageId });
        const [box] = Object(read.image).annotation.boxes;
        return [box.label, box.x - box.width / 2];
      }),
    );
    expect(lefts).toEqual([20, 80, 140, 200, 260].map((left) => ['person', left]));
    expect(problems).toEqual([]);
  });
});
