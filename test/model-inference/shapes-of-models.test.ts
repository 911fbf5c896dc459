// Models that give outlines or keypoints beside boxes: in which forms, where they lie, and which
// are refused.

import { describe, expect, it } from 'vitest';
import type { Detection } from '../../src/model-inference/detection-models.ts';
import {
  blue,
  constantModel,
  cornerFinder,
  maskFinder,
  red,
  redAndBlue,
  type SeparateOutputs,
  separateModel,
  squaresOn,
} from '../fixtures/onnx-models.ts';
import { node, onnxModel, tensor } from '../fixtures/onnx-writer.ts';
import { modelsOfAFile } from './models-of-a-file.ts';

const shared = modelsOfAFile();

async function seenBy(file: Uint8Array, image: Uint8Array, confidence = 0.4) {
  const labeller = await shared.labellerOf(file);
  const signal = new AbortController().signal;
  const { detections, hasMore } = await labeller.detect(image, {
    confidence,
    overlap: 0.5,
    signal,
  });
  return { task: labeller.task, detections, hasMore };
}

/** The smallest box around an outline, and the area within it. */
function extentOf({ points = [] }: Detection) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const twice = points.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = points[(at + 1) % points.length] ?? [x, y];
    return sum + x * nextY - nextX * y;
  }, 0);
  const edges = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  return { edges: edges.map((edge) => Math.round(edge)), area: Math.abs(twice) / 2 };
}

describe('masks of YOLO', () => {
  it('are outlines within their boxes, in pixels as stored', async () => {
    // The left half of a square, and a whole one.
    const image = await squaresOn(64, 64, [
      { left: 16, top: 16, width: 8, colour: red },
      { left: 48, top: 32, colour: blue },
    ]);
    const { task, detections } = await seenBy(maskFinder(), image);
    expect(task).toBe('segmentation');
    expect(detections.map(({ label, x, width }) => [label, x, width])).toEqual([
      ['blue', 56, 16],
      ['red', 24, 16],
    ]);
    const [whole, half] = detections.map(extentOf);
    expect(whole?.edges).toEqual([48, 32, 64, 48]);
    expect(half?.edges).toEqual([16, 16, 24, 32]);
    // Corners are cut where the mask has no more than a cell to know of.
    expect(half?.area).toBeGreaterThan(0.9 * 128);
    expect(half?.area).toBeLessThanOrEqual(128);
    for (const { points = [] } of detections) expect(points.length).toBeLessThanOrEqual(16);
  });

  it('come back from the canvas to an image of another shape', async () => {
    // 128 x 64 is 64 x 32 in the middle of the canvas: twice as large, and 16 pixels lower.
    const wide = await squaresOn(128, 64, [
      { left: 32, top: 0, width: 32, height: 32, colour: red },
    ]);
    const { detections } = await seenBy(maskFinder(), wide, 0.9);
    expect(detections.map(extentOf).map(({ edges }) => edges)).toEqual([[32, 0, 64, 32]]);
  });

  it('without a pixel in its box is no object', async () => {
    // Two boxes, and one picture that is below 0 everywhere but for the left third.
    const boxes = [
      ...[8, 40, ...[32, 32], ...[16, 16], ...[16, 16]],
      ...[0.9, 0.8, ...[0, 0], ...[1, 1]],
    ];
    const picture = [...Array(64).keys()].map((cell) => (cell % 8 < 3 ? 1 : -1));
    const file = twoOutputs([1, 7, 2], boxes, [1, 1, 8, 8], picture);
    const { detections } = await seenBy(file, await squaresOn(64, 64, []));
    expect(detections.map(({ label, x }) => [label, x])).toEqual([['red', 8]]);
  });
});

/** One red box of YOLO's form with one weight of its mask, and the pictures of masks. */
function oneMask(weight: number, side: number, picture: readonly number[]) {
  const box = [32, 32, 16, 16, 0.9, 0, weight];
  return twoOutputs([1, 7, 1], box, [1, 1, side, side], picture);
}

describe('masks that are no masks', () => {
  const image = () => squaresOn(64, 64, []);

  it.each([
    ['NaN', 1, Number.NaN],
    ['endless', 1, Number.POSITIVE_INFINITY],
    ['NaN together', 0, Number.NEGATIVE_INFINITY],
  ])('are refused: %s', async (_name, weight, value) => {
    const file = oneMask(weight, 8, Array(64).fill(value));
    await expect(seenBy(file, await image())).rejects.toMatchObject({
      code: 'upstream_failed',
      retry: 'never',
      message: expect.stringMatching(/^The model gives masks that are no numbers/),
    });
  });

  it('are refused of torchvision too', async () => {
    const shapes = { name: 'masks', dims: [1, 1, 64, 64], values: Array(64 * 64).fill(Number.NaN) };
    const file = separateModel({ boxes: [[8, 8, 40, 40]], labels: [1], scores: [0.9], shapes });
    await expect(seenBy(file, await image())).rejects.toMatchObject({
      message: expect.stringMatching(/^The model gives masks that are no numbers/),
    });
  });

  it('are boxes alone where a cell is larger than the object', async () => {
    const { task, detections } = await seenBy(oneMask(1, 1, [1]), await image());
    expect([task, detections]).toEqual([
      'segmentation',
      [expect.objectContaining({ label: 'red', x: 32, width: 16 })],
    ]);
    expect(detections[0]?.points).toBeUndefined();
  });

  it('are refused before the model runs where they have too many numbers', async () => {
    // 32,768 on a side: an output of 4 GB.
    const side = 32_768;
    const line = Array(side).fill(0);
    const file = onnxModel({
      metadata: redAndBlue,
      output: [1, 7, 1],
      more: [{ name: 'output1', dims: [1, 1, side, side] }],
      tensors: [
        tensor('answer', [1, 7, 1], [32, 32, 16, 16, 0.9, 0, 1]),
        tensor('down', [1, 1, side, 1], line),
        tensor('across', [1, 1, 1, side], line),
      ],
      nodes: [
        node('ReduceMean', ['images'], ['mean'], { axes: [0, 1, 2, 3], keepdims: 0 }),
        node('Add', ['answer', 'mean'], ['output0']),
        node('Add', ['down', 'mean'], ['lines']),
        node('Add', ['lines', 'across'], ['output1']),
      ],
    });
    await expect(shared.labellerOf(file)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'model: gives an output of [1, 1, 32768, 32768], 1073741824 numbers',
    });
  });
});

it('says that more were found than are kept', async () => {
  const places = [...Array(400).keys()];
  const rows = (count: number) => [
    ...places.slice(0, count).map((at) => (at % 20) * 3 + 2),
    ...places.slice(0, count).map((at) => Math.floor(at / 20) * 3 + 2),
    ...Array(2 * count).fill(3),
    ...Array(count).fill(0.9),
    ...Array(count).fill(0),
  ];
  const image = await squaresOn(64, 64, []);
  const found = async (count: number) => {
    const seen = await seenBy(constantModel([1, 6, count], rows(count)), image);
    return [seen.detections.length, seen.hasMore];
  };
  expect(await found(400)).toEqual([300, true]);
  expect(await found(300)).toEqual([300, false]);
});

/** A model of YOLO's form whose both outputs are known numbers. */
function twoOutputs(
  dims: readonly number[],
  values: readonly number[],
  maskDims: readonly number[],
  masks: readonly number[],
) {
  return constantModel(dims, values, redAndBlue, { dims: maskDims, values: masks });
}

describe('keypoints of YOLO', () => {
  const shape = { ...redAndBlue, kpt_shape: '[2, 3]' };

  it('have places, how sure they are, and their names', async () => {
    const image = await squaresOn(64, 64, [{ left: 16, top: 32, colour: red }]);
    const names = "{0: ['head', 'foot'], 1: ['nose', 'tail']}";
    const { task, detections } = await seenBy(cornerFinder({ ...shape, kpt_names: names }), image);
    expect(task).toBe('keypoints');
    expect(detections).toMatchObject([
      {
        label: 'red',
        x: 24,
        keypoints: [
          { label: 'head', x: 16, y: 32, confidence: expect.closeTo(0.9) },
          { label: 'foot', x: 32, y: 48, confidence: expect.closeTo(0.2) },
        ],
      },
    ]);
    const sky = await squaresOn(64, 64, [{ left: 0, top: 0, colour: blue }]);
    const other = await seenBy(cornerFinder({ ...shape, kpt_names: names }), sky);
    expect(other.detections[0]?.keypoints?.map(({ label }) => label)).toEqual(['nose', 'tail']);
    const nameless = await seenBy(cornerFinder(shape), image);
    expect(nameless.detections[0]?.keypoints?.map(({ label }) => label)).toEqual(['0', '1']);
  });

  it('are refused where the file does not say how many there are', async () => {
    const unclear = cornerFinder({ ...redAndBlue, task: 'pose' });
    await expect(shared.labellerOf(unclear)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'model: has the task "pose", and does not say how many keypoints an object has',
    });
    await expect(shared.labellerOf(cornerFinder(redAndBlue))).rejects.toMatchObject({
      message: 'model: gives [1, 12, 16] for 2 classes, which is no output known here',
    });
    await expect(
      shared.labellerOf(cornerFinder({ ...redAndBlue, kpt_shape: '[4, 3]' })),
    ).rejects.toMatchObject({ message: expect.stringMatching(/^model: gives \[1, 12, 16\]/) });
    for (const kpt_shape of ['[100000, 3]', '[-3, 3]', '[0, 3]', '[4, 7]', 'x']) {
      await expect(
        shared.labellerOf(cornerFinder({ ...redAndBlue, kpt_shape })),
      ).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(/^model: has a `kpt_shape` in its metadata that is no/),
      });
    }
  });
});

describe('boxes and scores of RF-DETR', () => {
  /** The second score of the first box follows the mean of what the model is given. */
  const queries = (metadata: Readonly<Record<string, string>>) =>
    onnxModel({
      metadata,
      names: { input: 'input', output: 'dets' },
      output: [1, 2, 4],
      more: [{ name: 'labels', dims: [1, 2, 2] }],
      tensors: [
        tensor('nothing', [1], [0]),
        tensor('boxes', [1, 2, 4], [0.25, 0.5, 0.5, 0.25, 0.5, 0.5, 0.1, 0.1]),
        tensor('slopes', [1, 2, 2], [0, 1, 0, 0]),
        tensor('starts', [1, 2, 2], [-9, 0, -9, -9]),
      ],
      nodes: [
        node('ReduceMean', ['input'], ['mean'], { axes: [0, 1, 2, 3], keepdims: 0 }),
        node('Mul', ['mean', 'nothing'], ['zero']),
        node('Add', ['boxes', 'zero'], ['dets']),
        node('Mul', ['slopes', 'mean'], ['slope']),
        node('Add', ['slope', 'starts'], ['labels']),
      ],
    });

  it('are read from images that are stretched and normalised', async () => {
    const wide = await squaresOn(128, 64, [
      { left: 0, top: 0, width: 128, height: 64, colour: red },
    ]);
    const { task, detections } = await seenBy(queries(redAndBlue), wide, 0.3);
    expect(task).toBe('detection');
    const mean = ((1 - 0.485) / 0.229 - 0.456 / 0.224 - 0.406 / 0.225) / 3;
    expect(detections).toEqual([
      expect.objectContaining({ label: 'blue', x: 32, y: 32, width: 64, height: 16 }),
    ]);
    expect(detections[0]?.confidence).toBeCloseTo(1 / (1 + Math.exp(-mean)), 3);
  });

  it('need a name for each score', async () => {
    const file = queries({ names: "['red', 'blue', 'green']" });
    await expect(shared.labellerOf(file)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'model: gives 2 scores for each box, and has 3 names of classes',
    });
  });
});

describe('separate outputs, as of torchvision,', () => {
  const plain: SeparateOutputs = {
    boxes: [
      [0, 0, 32, 32],
      [32, 32, 64, 64],
    ],
    labels: [1, 2],
    scores: [0.9, 0.3],
  };
  const image = () => squaresOn(64, 64, []);

  it('are boxes whose classes begin with 1', async () => {
    const { task, detections } = await seenBy(separateModel(plain), await image(), 0.2);
    expect(task).toBe('detection');
    expect(detections.map(({ label, x, y }) => [label, x, y])).toEqual([
      ['red', 16, 16],
      ['blue', 48, 48],
    ]);
    const metadata = { names: "['__background__', 'red', 'blue']" };
    const named = await seenBy(separateModel({ ...plain, metadata }), await image());
    expect(named.detections.map(({ label }) => label)).toEqual(['red']);
    const ofBackground = { ...plain, metadata, labels: [0, 2] };
    const others = await seenBy(separateModel(ofBackground), await image(), 0.2);
    expect(others.detections.map(({ label }) => label)).toEqual(['blue']);
  });

  it('say which outlines leave out holes or pieces of their masks', async () => {
    const cells = [...Array(64 * 64).keys()];
    const inside = (at: number) => (at % 64 < 30 && at < 30 * 64 ? 1 : 0);
    const values = [...cells.map(inside), ...cells.map(() => 0)];
    const piece = 40 * 64 + 40;
    const cutBy = async (one: number[]) => {
      const shapes = { name: 'masks', dims: [2, 1, 64, 64], values: one };
      const { detections } = await seenBy(
        separateModel({
          ...plain,
          boxes: [
            [0, 0, 64, 64],
            [0, 0, 1, 1],
          ],
          shapes,
        }),
        await image(),
        0.5,
      );
      return detections.map(({ isCut }) => isCut);
    };
    expect(await cutBy(values)).toEqual([undefined]);
    // A speck is noise; a second piece of ten times ten is none.
    expect(await cutBy(values.with(piece, 1))).toEqual([undefined]);
    const second = values.map((value, at) => {
      const [x, y] = [(at % 64) - 40, Math.floor((at % 4096) / 64) - 40];
      return at < 4096 && x >= 0 && x < 10 && y >= 0 && y < 10 ? 1 : value;
    });
    expect(await cutBy(second)).toEqual([true]);
  });

  it('may have a mask for each box', async () => {
    const cells = [...Array(64 * 64).keys()];
    // A round one in the first box.
    const masks = [
      ...cells.map((at) => (Math.hypot((at % 64) - 15.5, Math.floor(at / 64) - 15.5) < 10 ? 1 : 0)),
      ...cells.map(() => 0),
    ];
    const shapes = { name: 'masks', dims: [2, 1, 64, 64], values: masks };
    const { task, detections } = await seenBy(
      separateModel({ ...plain, shapes }),
      await image(),
      0,
    );
    expect(task).toBe('segmentation');
    expect(detections).toHaveLength(1);
    const [round] = detections.map(extentOf);
    expect(round?.edges).toEqual([6, 6, 26, 26]);
    expect(Math.abs((round?.area ?? 0) - Math.PI * 100)).toBeLessThan(12);
  });

  it('may have keypoints for each box', async () => {
    const values = [...[1, 2, 1], ...[3, 4, 1], ...[33, 34, 1], ...[70, 36, 1]];
    const shapes = { name: 'keypoints', dims: [2, 2, 3], values };
    const { task, detections } = await seenBy(
      separateModel({ ...plain, shapes }),
      await image(),
      0,
    );
    expect(task).toBe('keypoints');
    // What lies beside the image is moved to its edge; how sure they are, these models do not say.
    expect(detections.map(({ keypoints }) => keypoints)).toEqual([
      [
        { label: '0', x: 1, y: 2, confidence: undefined },
        { label: '1', x: 3, y: 4, confidence: undefined },
      ],
      [
        { label: '0', x: 33, y: 34, confidence: undefined },
        { label: '1', x: 64, y: 36, confidence: undefined },
      ],
    ]);
  });

  it('far beside the image are not seen', async () => {
    const values = [...[1, 2, 1], ...[500, 4, 1]];
    const shapes = { name: 'keypoints', dims: [1, 2, 3], values };
    const one = { boxes: [[0, 0, 32, 32]], labels: [1], scores: [0.9], shapes };
    const { detections } = await seenBy(separateModel(one), await image());
    expect(detections.map(({ keypoints }) => keypoints)).toEqual([
      [
        { label: '0', x: 1, y: 2, confidence: undefined },
        { label: '1', x: 64, y: 4, confidence: 0 },
      ],
    ]);
  });

  it('of a class without a name are no answer', async () => {
    const wrong = seenBy(separateModel({ ...plain, labels: [1, 3] }), await image(), 0);
    await expect(wrong).rejects.toMatchObject({
      code: 'upstream_failed',
      retry: 'never',
      message: expect.stringMatching(/^The model gives the class number 3, and its 2 names/),
    });
  });
});

it('says what is wrong with raw numbers in place of scores', async () => {
  const told = (values: readonly number[]) =>
    squaresOn(64, 64, []).then((image) => seenBy(constantModel([1, 2], values), image));
  await expect(told([3.25, -1])).rejects.toMatchObject({
    code: 'upstream_failed',
    retry: 'never',
    message:
      'The model gives a score of 3.25, and scores lie from 0 to 1. They may be raw numbers ' +
      '(logits): export it with its sigmoid or softmax.',
  });
  await expect(told([Number.NaN, 0])).rejects.toMatchObject({
    message: expect.stringMatching(/^The model gives scores that are no numbers \(NaN\)/),
  });
  // A detector whose every raw number is below 0 finds nothing by mistake.
  const raw = seenBy(constantModel([1, 6, 1], [8, 8, 4, 4, -5, -6]), await squaresOn(64, 64, []));
  await expect(raw).rejects.toMatchObject({ message: expect.stringMatching(/a score of -5,/) });
});
