// A video of this machine: it goes by path, and its result comes back in words and as a file.

import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { summarizeVideo } from '../../tools/video/summarize-result.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { hasFfmpeg } from '../fixtures/has-ffmpeg.ts';
import { blue, colourFinder, red, type Square, squaresOn } from '../fixtures/onnx-models.ts';

let models: string;
let fovea: Fovea;

beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'fovea-models-'));
  const model = join(models, 'squares.onnx');
  await writeFile(model, colourFinder());
  fovea = await launchFovea({ FOVEA_MODEL: model });
});

afterAll(async () => {
  await fovea.close();
  await rm(models, { recursive: true, force: true });
});

const local = { model_id: 'local', model_version: '1', inference_type: 'object-detection' };

/** Three pictures, one each second: a red square, none, a blue one. */
async function makeVideo(name: string): Promise<string> {
  const squares: Square[][] = [
    [{ left: 16, top: 16, colour: red }],
    [],
    [{ left: 32, top: 48, colour: blue }],
  ];
  for (const [index, shown] of squares.entries()) {
    await writeFile(join(models, `${index}.png`), await squaresOn(64, 64, shown));
  }
  const path = join(fovea.folder, name);
  const frames = ['-framerate', '1', '-i', join(models, '%d.png'), '-q:v', '1', '-c:v', 'mpeg4'];
  expect(spawnSync('ffmpeg', ['-v', 'error', ...frames, path]).status).toBe(0);
  return path;
}

test.runIf(hasFfmpeg)('goes by path; its result says what would be an event', async () => {
  const file = await makeVideo('first.mp4');
  const started = await fovea.ok('video_inference_start', { file, infer_fps: 1, models: [local] });
  const { job_id } = started;
  await fovea.ok('tasks_wait', { taskId: job_id });
  const save_to = join(fovea.folder, 'seen.json');
  const { text, data } = await fovea.call('video_inference_get', { job_id, save_to });
  expect(text).toContain(
    'is done. In 3 frames (2.0 s) it found "red" 1, "blue" 1; that would make',
  );
  const events = '"red" 0.0 s, "blue" 2.0 s';
  expect(text).toContain(`that would make 2 events: ${events}. Saved to "${save_to}".`);
  expect(data).toMatchObject({
    status: 0,
    events_total: 2,
    events: [
      { model: 'local', class: 'red', from_s: 0, to_s: 0, frames: 1, most_at_once: 1 },
      { model: 'local', class: 'blue', from_s: 2, to_s: 2, frames: 1, most_at_once: 1 },
    ],
  });
  expect(JSON.parse(await readFile(save_to, 'utf8')).time_offset).toEqual([0, 1, 2]);
  const again = await fovea.call('video_inference_get', { job_id, save_to });
  expect(again.text).toContain('exists already');
});

function picturesIn(content: readonly { readonly type: string }[]): readonly Buffer[] {
  return content.flatMap((block) =>
    block.type === 'image' && 'data' in block ? Buffer.from(String(block.data), 'base64') : [],
  );
}

test.runIf(hasFfmpeg)('its frames are shown with their boxes, or written to a file', async () => {
  const file = await makeVideo('second.mp4');
  const { job_id } = await fovea.ok('video_inference_start', {
    file,
    infer_fps: 1,
    models: [local],
  });
  await fovea.ok('tasks_wait', { taskId: job_id });
  const asked = { job_id, frames: true };
  const answer = await fovea.client.callTool({ name: 'video_inference_get', arguments: asked });
  const [picture] = picturesIn(answer.content);
  const { width, height } = await sharp(picture).metadata();
  // Three frames of 320 pixels in one row.
  expect({ width, height: Number(height) < 600 }).toEqual({ width: 1048, height: true });
  const save_to = join(fovea.folder, 'frames.jpg');
  const wanted = { name: 'video_inference_get', arguments: { job_id, save_to } };
  const saved = await fovea.client.callTool(wanted);
  expect(JSON.stringify(saved.content)).toContain(`Saved to \\"${save_to}\\".`);
  expect(picturesIn(saved.content)).toEqual([]);
  expect(await readFile(save_to)).toEqual(picture);
});

test('a hosted platform keeps no frames', async () => {
  const hosted = await launchFovea({
    FOVEA_BASE_URL: 'http://127.0.0.1:9',
    FOVEA_API_KEY: 'a-key-for-tests',
  });
  onTestFinished(() => hosted.close());
  const asked = await hosted.call('video_inference_get', { job_id: 'one', frames: true });
  expect(asked.text).toContain('frames: a hosted platform keeps none of a video.');
});

test('is named in one way, and lies below the file roots', async () => {
  const both = { file: 'a.mp4', input_url: 'https://example.org/a.mp4', models: [local] };
  const twice = await fovea.call('video_inference_start', both);
  expect(twice.text).toContain('file: give either file or input_url');
  const outside = await fovea.call('video_inference_start', {
    file: '/etc/hosts',
    models: [local],
  });
  expect(outside.text).toContain('lies outside the folders that tools may use');
});

test('what is seen with a short gap is one event, with a long one two', () => {
  const seen = { predictions: [{ class: 'car', confidence: 0.5 }] };
  const two = {
    predictions: [
      { class: 'car', confidence: 0.9 },
      { class: 'car', confidence: 0.6 },
    ],
  };
  const result = {
    fps: 2,
    time_offset: [0, 0.5, 1, 1.5, 2, 2.5, 3],
    'cars/1': [seen, null, two, null, null, null, seen],
    models: {},
  };
  expect(summarizeVideo(result)).toEqual({
    frames: 7,
    seconds: 3,
    classes: { car: 4 },
    events: [
      {
        model: 'cars/1',
        class: 'car',
        from_s: 0,
        to_s: 1,
        frames: 2,
        most_at_once: 2,
        confidence_max: 0.9,
      },
      {
        model: 'cars/1',
        class: 'car',
        from_s: 3,
        to_s: 3,
        frames: 1,
        most_at_once: 1,
        confidence_max: 0.5,
      },
    ],
  });
  expect(summarizeVideo({ anything: 'else' })).toBeUndefined();
});
