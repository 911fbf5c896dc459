// Which frames of a video its picture shows.

import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { Labelled } from '../../../src/model-inference/detection-models.ts';
import { chooseFrames } from '../../../src/platform/video/frame-choice.ts';

const frame = await sharp({
  create: { width: 8, height: 4, channels: 3, background: { r: 255, g: 0, b: 0 } },
})
  .jpeg()
  .toBuffer();

const size = { width: 8, height: 4, ms: 1, hasMore: false };
const box = { label: 'car', classIndex: 0, confidence: 0.9, x: 4, y: 2, width: 2, height: 2 };
const car: Labelled = { ...size, detections: [box] };
const nothing: Labelled = { ...size, detections: [] };

/** The times of the frames chosen of a video of so many seconds, a frame each. */
async function timesChosen(seconds: number, hasCar: (second: number) => boolean) {
  const choice = chooseFrames();
  for (let second = 0; second < seconds; second += 1) {
    await choice.offer(frame, { seconds: second, seen: [hasCar(second) ? car : nothing] });
  }
  return choice.chosen().map((chosen) => chosen.seconds);
}

it('shows all of a few', async () => {
  expect(await timesChosen(3, (second) => second === 1)).toEqual([0, 1, 2]);
});

it('shows those with detections first, and others between them', async () => {
  const times = await timesChosen(100, (second) => second === 40 || second === 41);
  expect(times).toHaveLength(9);
  expect(times).toEqual(expect.arrayContaining([40, 41]));
});

it('spreads them over all that have detections', async () => {
  const times = await timesChosen(1_000, (second) => second >= 500);
  expect(times).toHaveLength(9);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(500);
  expect(Math.min(...times)).toBeLessThan(600);
  expect(Math.max(...times)).toBeGreaterThan(900);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(64);
});

it('gives the size of the frame beside its picture', async () => {
  const choice = chooseFrames();
  await choice.offer(frame, { seconds: 0, seen: [car] });
  const [chosen] = choice.chosen();
  expect(chosen).toMatchObject({ width: 8, height: 4, image: { width: 32, height: 16 } });
});
