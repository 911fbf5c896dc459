// Settings that would take hours or all memory for a small image.

import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import { drawPng } from './letter-images.ts';
import { render } from './render-images.ts';

type Preprocessing = VersionSettings['preprocessing'];

const dot = await drawPng('a');
const whole = { label: 'a', x: 0.5, y: 0.5, width: 1, height: 1 };

async function plainPng(width: number, height: number): Promise<Uint8Array> {
  const create = { width, height, channels: 3, background: '#102030' } as const;
  return sharp({ create }).png().toBuffer();
}

function tile(width: number, height: number, overlap: number, padding: 'black' | 'reflect') {
  return {
    tile: { mode: 'fixed_size', tileWidth: width, tileHeight: height, overlap, padding },
  } as const;
}

async function refusal(bytes: Uint8Array, boxes: number, preprocessing: Preprocessing) {
  const labelled = Array.from({ length: boxes }, () => whole);
  const thrown = await render(bytes, labelled, { preprocessing }, { output: 'pixels' }).catch(
    (failure: unknown) => failure,
  );
  return thrown instanceof Error ? thrown.cause : thrown;
}

describe('pixels of all pieces together', () => {
  test('small objects on huge tiles', async () => {
    const settings = { isolate: true, ...tile(10_900, 16_400, 0, 'black') };
    expect(await refusal(dot, 56, settings)).toMatchObject({
      code: 'invalid_input',
      problems: [
        {
          path: 'preprocessing.tile',
          message:
            'makes 56 images of one, with 10010560000 pixels together; at most 10000000000 are made',
        },
      ],
    });
  });

  test('objects that are enlarged', async () => {
    const resize = { width: 10_900, height: 16_400, format: 'Stretch to' } as const;
    expect(await refusal(dot, 56, { isolate: true, resize })).toMatchObject({
      code: 'invalid_input',
      problems: [{ path: 'preprocessing.isolate', message: expect.stringContaining('56 images') }],
    });
  });

  test('tiles that lie on one another', async () => {
    const bytes = await plainPng(2099, 2099);
    expect(await refusal(bytes, 0, tile(2000, 2000, 99.99, 'black'))).toMatchObject({
      problems: [
        { path: 'preprocessing.tile', message: expect.stringContaining('40000000000 pixels') },
      ],
    });
  });

  test('one tile that is larger than an image may be', async () => {
    const bytes = await plainPng(16_400, 2);
    const shape = { mode: 'fixed_aspect', aspectRatio: 1, span: 'width' } as const;
    const preprocessing = { tile: { ...shape, overlap: 0, padding: 'black' } } as const;
    expect(await refusal(bytes, 0, preprocessing)).toMatchObject({
      problems: [
        {
          path: 'preprocessing.tile',
          message: 'makes tiles of 16400 x 16400 pixels; smaller ones are possible',
        },
      ],
    });
  });
});

describe('mirror images', () => {
  test('of a tiny image in a large tile', async () => {
    expect(await refusal(dot, 0, tile(1000, 201, 0, 'reflect'))).toMatchObject({
      code: 'invalid_input',
      problems: [
        {
          path: 'preprocessing',
          message:
            'reflecting edges (resize.format, tile.padding) would show an image of 1 x 1 with 0 boxes 201000 times',
        },
      ],
    });
  });

  test('of many boxes in a long frame', async () => {
    const resize = { width: 1, height: 202, format: 'Fit (reflect edges) in' } as const;
    expect(await refusal(dot, 1000, { resize })).toMatchObject({
      problems: [{ message: expect.stringContaining('1 x 1 with 1000 boxes 202 times') }],
    });
    const fewer = await render(dot, [whole], { preprocessing: { resize } });
    expect(fewer.map(({ boxes }) => boxes.length)).toEqual([202]);
  });
});

test('many boxes over all of an image, each changed on its own', async () => {
  const bytes = await plainPng(500, 400);
  const boxes = Array.from({ length: 10_001 }, () => {
    return { label: 'a', x: 250, y: 200, width: 500, height: 400 };
  });
  const augmentation = { bbblur: { pixels: 1 }, image: { versions: 2 } };
  const made = render(bytes, boxes, { augmentation }, { output: 'pixels' });
  await expect(made).rejects.toMatchObject({
    cause: {
      code: 'invalid_input',
      problems: [
        {
          path: 'augmentation',
          message:
            'of bb keys: the 10001 boxes of an image have 2000200000 pixels together; ' +
            'at most 2000000000 are changed',
        },
      ],
    },
  });
});

test('ten thousand holes are one black image', async () => {
  const augmentation = { cutout: { count: 10_000, percent: 50 }, image: { versions: 2 } };
  const bytes = await plainPng(40, 30);
  const [original, copy] = await render(bytes, [], { augmentation }, { output: 'pixels' });
  expect(original?.bytes.subarray(0, 3)).toEqual(Uint8Array.of(0x10, 0x20, 0x30));
  expect(copy?.bytes.every((value) => value === 0)).toBe(true);
});
