// How many copies there are, that no two are the same, and that promised counts are kept.

import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { expectedCounts } from '../../src/contract/version-image-counts.ts';
import { normalizeSettings } from '../../src/contract/version-no-op-steps.ts';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import { createKernel } from '../../src/dataset-versions/kernel/kernel.ts';
import {
  type RenderJob,
  type RenderSource,
  renderSources,
} from '../../src/dataset-versions/render-images.ts';
import type { Box } from '../../src/imaging/box.ts';
import { drawPng, rowsOf } from './letter-images.ts';
import { renderJob } from './render-images.ts';

type Augmentation = VersionSettings['augmentation'];

const letters = await drawPng('abcd', 'efgh');
const box: Box = { label: 'a', x: 1, y: 1, width: 2, height: 2 };

async function imagesOf(
  augmentation: Augmentation,
  { boxes = [box], preprocessing = {}, ...more }: Partial<RenderSource & VersionSettings> = {},
) {
  const source = { bytes: letters, hash: 'source', split: 'train', boxes, ...more } as const;
  return renderJob({ sources: [source], output: 'pixels' }, { preprocessing, augmentation });
}

const flip = { horizontal: true, vertical: true };
const ninety = { clockwise: true, 'counter-clockwise': true, 'upside-down': true };

describe('flips and turns have as many copies as there are results', () => {
  const of50 = (augmentation: Augmentation) => ({ ...augmentation, image: { versions: 50 } });

  test.each([
    ['left-right', of50({ flip: { horizontal: true } }), ['abcd efgh', 'dcba hgfe']],
    ['up-down', of50({ flip: { vertical: true } }), ['abcd efgh', 'efgh abcd']],
    ['both flips', of50({ flip }), ['abcd efgh', 'dcba hgfe', 'efgh abcd', 'hgfe dcba']],
    ['one turn', of50({ ninety: { clockwise: true } }), ['abcd efgh', 'ea fb gc hd']],
    ['all turns', of50({ ninety }), ['abcd efgh', 'dh cg bf ae', 'ea fb gc hd', 'hgfe dcba']],
    [
      'flips and turns',
      of50({ flip, ninety }),
      [
        'abcd efgh',
        'ae bf cg dh',
        'dcba hgfe',
        'dh cg bf ae',
        'ea fb gc hd',
        'efgh abcd',
        'hd gc fb ea',
        'hgfe dcba',
      ],
    ],
    [
      'a flip and the half turn, which come to the other flip',
      of50({ flip: { horizontal: true }, ninety: { 'upside-down': true } }),
      ['abcd efgh', 'dcba hgfe', 'efgh abcd', 'hgfe dcba'],
    ],
  ])('%s', async (_, augmentation, results) => {
    const images = await imagesOf(augmentation);
    const pictures = images.map((image) => rowsOf(image).join(' '));
    expect(pictures[0]).toBe('abcd efgh');
    expect(pictures.toSorted()).toEqual(results.toSorted());
    expect(images.map(({ copy, number }) => [copy, number])).toEqual(
      results.map((_result, index) => [index, index]),
    );
  });

  test('and no more than asked for', async () => {
    expect(await imagesOf({ flip, ninety, image: { versions: 3 } })).toHaveLength(3);
    expect(await imagesOf({ flip, ninety, image: { versions: 1 } })).toHaveLength(1);
    expect(await imagesOf({ flip, ninety })).toHaveLength(1);
  });
});

test('grey copies: one beside the original, and one of each other result', async () => {
  const counts = async (augmentation: Augmentation, percent: number) =>
    (await imagesOf({ ...augmentation, rgrayscale: { percent }, image: { versions: 20 } })).length;
  expect(await counts({}, 0)).toBe(1);
  expect(await counts({}, 30)).toBe(2);
  expect(await counts({}, 100)).toBe(2);
  expect(await counts({ flip: { horizontal: true } }, 50)).toBe(4);
  expect(await counts({ flip: { horizontal: true } }, 100)).toBe(3);
});

test('all copies get every chosen step, with words in their order', async () => {
  const [original, ...copies] = await imagesOf({
    cutout: { count: 2, percent: 10 },
    blur: { pixels: 2 },
    rotate: { degrees: 10 },
    mosaic: true,
    hue: { degrees: 20 },
    image: { versions: 10 },
  });
  expect(original?.words).toEqual([]);
  expect(copies).toHaveLength(9);
  for (const { words } of copies) {
    expect(words).toEqual([
      'mosaic',
      expect.stringMatching(/^rotate -?\d+(\.\d)?°$/),
      expect.stringMatching(/^hue -?\d+(\.\d)?°$/),
      expect.stringMatching(/^blur \d+(\.\d)? px$/),
      'cutout 2 x 10 %',
    ]);
  }
});

test('mosaic brings boxes, so that changes within boxes are made of any image', async () => {
  const augmentation = { mosaic: true, bbblur: { pixels: 2 }, image: { versions: 4 } };
  const [, ...copies] = await imagesOf(augmentation, { boxes: [] });
  expect(copies.map(({ words }) => words)).toEqual([
    ['mosaic', 'blur in boxes'],
    ['mosaic', 'blur in boxes'],
    ['mosaic', 'blur in boxes'],
  ]);
});

test('only train images have copies', async () => {
  for (const split of ['valid', 'test'] as const) {
    expect(await imagesOf({ flip, image: { versions: 5 } }, { split })).toHaveLength(1);
  }
});

test('copies follow from the content of the image, and differ between images and pieces', async () => {
  const augmentation = { rotate: { degrees: 90 }, image: { versions: 3 } };
  const words = async (more: Partial<RenderSource & VersionSettings>) =>
    (await imagesOf(augmentation, more)).map((image) => image.words.join());
  expect(await words({})).toEqual(await words({}));
  expect(await words({ hash: 'other' })).not.toEqual(await words({}));
  const tile = { rows: 1, columns: 2 };
  const tiles = await words({ preprocessing: { tile } });
  expect(tiles).toHaveLength(6);
  expect(new Set(tiles).size).toBe(5);
});

test('memory does not grow with the number of images', async () => {
  const bytes = await sharp(letters).resize(400, 400).png().toBuffer();
  const kernel = createKernel();
  const before = kernel.mark();
  const augmentation = { rotate: { degrees: 20 }, mosaic: true, bbblur: { pixels: 1 } };
  const source = { bytes, hash: 'source', split: 'train', boxes: [box] } as const;
  const images: number[] = [];
  const job: RenderJob = {
    settings: normalizeSettings({
      preprocessing: { tile: { rows: 2, columns: 2 } },
      augmentation,
    }),
    seed: '',
    imagesPerPiece: 50,
    sources: [source, source, source],
    output: 'pixels',
  };
  await renderSources(kernel, job, async ({ number }) => void images.push(number));
  expect(images).toHaveLength(600);
  expect(kernel.mark()).toBe(before);
  // The images together have 72 MB.
  const { buffer } = kernel.bytes(kernel.blank({ width: 1, height: 1 }, [0, 0, 0]));
  expect(buffer.byteLength).toBeLessThan(8 * 1024 * 1024);
});

describe('the promised counts are those of the engine', () => {
  const base = { image: { versions: 12 } };
  const grayscale = { preprocessing: { grayscale: true } };
  const tile = { preprocessing: { tile: { rows: 2, columns: 3 } } };

  test.each<[Augmentation, Partial<VersionSettings>, number, number]>([
    [{}, {}, 3, 3],
    [{ image: { versions: 12 } }, {}, 3, 3],
    [{ ...base, flip: { horizontal: true } }, {}, 5, 5],
    [{ ...base, flip }, {}, 9, 9],
    [{ ...base, ninety }, {}, 9, 9],
    [{ ...base, flip, ninety }, {}, 17, 17],
    [{ ...base, flip, ninety, image: { versions: 5 } }, {}, 11, 11],
    [{ ...base, ninety: { 'upside-down': true }, flip: { vertical: true } }, {}, 9, 9],
    [{ ...base, rotate: { degrees: 10 } }, {}, 25, 25],
    [{ ...base, rotate: { degrees: 0 } }, {}, 3, 3],
    [{ ...base, mosaic: true }, {}, 25, 25],
    [{ ...base, mosaic: false, hue: { degrees: 30 } }, {}, 25, 25],
    [{ ...base, hue: { degrees: 30 } }, grayscale, 3, 3],
    [{ ...base, hue: { degrees: 30 }, rgrayscale: { percent: 100 } }, {}, 5, 5],
    [{ ...base, saturation: { percent: 30 }, flip }, grayscale, 9, 9],
    [{ ...base, rgrayscale: { percent: 40 }, flip }, {}, 17, 17],
    [{ ...base, brightness: { brighten: true, darken: false, percent: 1 } }, {}, 9, 9],
    [{ ...base, flip: { vertical: true } }, tile, 30, 30],
    [{ ...base, blur: { pixels: 1 } }, tile, 150, 150],
    // Two boxes, flipped or not, are four images; the image without boxes has no copies.
    [{ ...base, bbflip: { horizontal: true } }, {}, 25, 6],
    [{ ...base, bbrotate: { degrees: 20 } }, {}, 25, 14],
  ])('%j %j: %i', async (augmentation, { preprocessing = {} }, promised, made) => {
    const { total } = expectedCounts(
      { preprocessing, augmentation },
      { splits: { train: 2, valid: 1, test: 0 } },
    );
    expect(total.images).toBe(promised);
    const source = { bytes: await drawPng('abcdef', 'ghijkl'), boxes: [] } as const;
    const boxes = [
      { label: 'a', x: 1, y: 1, width: 2, height: 2 },
      { label: 'a', x: 4, y: 1, width: 2, height: 2 },
    ];
    const images = await renderJob(
      {
        sources: [
          { ...source, hash: 'one', split: 'train', boxes },
          { ...source, hash: 'two', split: 'train' },
          { ...source, hash: 'three', split: 'valid' },
        ],
        output: 'pixels',
      },
      { preprocessing, augmentation },
    );
    expect(images).toHaveLength(made);
    expect(['exact', 'at most']).toContain(total.certainty);
    if (total.certainty === 'exact') expect(made).toBe(promised);
    else expect(made).toBeLessThanOrEqual(promised);
  });
});
