// Detection models: what they find, in which forms, and which files are refused.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { detectInFrames } from '../../src/model-inference/detect-in-frames.ts';
import {
  createModels,
  type DetectOptions,
  type FindWeights,
  type Labeller,
} from '../../src/model-inference/detection-models.ts';
import { createLoadedModels } from '../../src/model-inference/loaded-models.ts';
import { openBlobFolder } from '../../src/storage/blob-store.ts';
import {
  blue,
  colourFinder,
  constantModel,
  red,
  redAndBlue,
  squaresOn,
} from '../fixtures/onnx-models.ts';
import { elsewhere, node, onnxModel, tensor } from '../fixtures/onnx-writer.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { modelsOfAFile } from './models-of-a-file.ts';

const all: DetectOptions = { confidence: 0.4, overlap: 0.5, signal: new AbortController().signal };

/** The models of a platform whose FOVEA_MODEL is this file. */
async function modelsOf(file: Uint8Array | undefined, names?: string) {
  const folder = await temporaryFolder();
  const path = join(folder, 'cells.onnx');
  if (file) await writeFile(path, file);
  if (names !== undefined) await writeFile(join(folder, 'cells.names'), names);
  const blobs = await openBlobFolder(join(folder, 'blobs'), systemClock);
  const stored = await blobs.put(colourFinder({}));
  const findWeights: FindWeights = async (_workspaceId, modelId) =>
    modelId === 'cells/1' ? { hash: stored.hash, classes: ['rot', 'blau'] } : undefined;
  const models = createModels({ model: file && path, blobs, findWeights });
  onTestFinished(() => models.close());
  return { models, path };
}

const shared = modelsOfAFile();

async function found(file: Uint8Array, image: Uint8Array, options = all) {
  return foundBy(await shared.labellerOf(file), image, options);
}

async function foundBy(labeller: Labeller, image: Uint8Array, options: DetectOptions) {
  const { detections } = await labeller.detect(image, options);
  return detections.map(({ label, x, y, width, height, confidence }) => [
    ...[label, x, y, width, height],
    Math.round(confidence * 1000) / 1000,
  ]);
}

it('finds squares where they are', async () => {
  const image = await squaresOn(64, 64, [
    { left: 16, top: 32, colour: red },
    { left: 48, top: 0, colour: blue },
    { left: 0, top: 0, colour: { r: 128, g: 0, b: 0 } },
    { left: 0, top: 48, colour: { r: 90, g: 0, b: 0 } },
  ]);
  expect(await found(colourFinder(), image)).toEqual([
    ['blue', 56, 8, 16, 16, 1],
    ['red', 24, 40, 16, 16, 1],
    ['red', 8, 8, 16, 16, 0.502],
  ]);
});

it('gives boxes in pixels as stored, whatever the shape of the image', async () => {
  // 64 x 32 stands in the middle of the canvas of 64 x 64: what is at 16, 16 comes to 16, 32.
  const wide = await squaresOn(64, 32, [{ left: 16, top: 16, colour: red }]);
  expect(await found(colourFinder(), wide)).toEqual([['red', 24, 24, 16, 16, 1]]);
  // 32 x 64, twice as large, is 64 x 128 on a canvas of 128 x 128.
  const high = await squaresOn(32, 64, [{ left: 8, top: 40, width: 8, height: 8, colour: blue }]);
  const [box] = await found(colourFinder(redAndBlue, 128), high, { ...all, confidence: 0.7 });
  expect(box?.slice(0, 5)).toEqual(['blue', 12, 44, 8, 8]);
});

it('reads BMP and JPEG as well as PNG, and refuses what is no image', async () => {
  const labeller = await shared.labellerOf(colourFinder());
  const image = await squaresOn(64, 64, [{ left: 0, top: 0, colour: red }]);
  const jpeg = await sharp(image).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
  const { detections } = await labeller.detect(jpeg, all);
  expect(detections.map(({ label, x, y }) => [label, x, y])).toEqual([['red', 8, 8]]);
  await expect(labeller.detect(Buffer.from('no image'), all)).rejects.toMatchObject({
    code: 'unsupported_media',
  });
  await expect(labeller.detect(image.subarray(0, 60), all)).rejects.toMatchObject({
    code: 'invalid_input',
  });
});

it('has a copy of the model that tests are given by its path', async () => {
  const copy = await readFile(resolve('test/fixtures/squares.onnx'));
  expect(new Uint8Array(copy)).toEqual(colourFinder());
});

describe('the output', () => {
  /** Three boxes: two that overlap by 0.6, and one of another class. */
  const boxes = [
    { left: 10, top: 10, right: 30, bottom: 30, red: 0.9, blue: 0.1 },
    { left: 10, top: 15, right: 30, bottom: 35, red: 0.8, blue: 0.2 },
    { left: 10, top: 10, right: 30, bottom: 30, red: 0.1, blue: 0.5 },
  ];
  const centre = ({ left, top, right, bottom }: (typeof boxes)[number]) => [
    ...[(left + right) / 2, (top + bottom) / 2],
    ...[right - left, bottom - top],
  ];
  const rows = boxes.map((box) => [...centre(box), 0.5, box.red * 2, box.blue * 2]);
  const columns = boxes.map((box) => [...centre(box), box.red, box.blue]);
  const final = boxes.map(({ left, top, right, bottom, red, blue }) => [
    ...[left, top, right, bottom, Math.max(red, blue), red > blue ? 0 : 1],
  ]);
  const turned = [0, 1, 2, 3, 4, 5].flatMap((at) => columns.map((box) => box[at] ?? 0));
  const forms: readonly [string, Uint8Array][] = [
    ['[1, 4 + classes, boxes]', constantModel([1, 6, 3], turned)],
    ['[1, boxes, 5 + classes]', constantModel([1, 3, 7], rows.flat())],
    ['[1, boxes, 6]', constantModel([1, 3, 6], final.flat())],
  ];

  it.each(forms)('%s gives the same boxes', async (_, file) => {
    const labeller = await shared.labellerOf(file);
    const image = await squaresOn(64, 64, []);
    const labels = async (options: DetectOptions) =>
      (await foundBy(labeller, image, options)).map(([label]) => label);
    expect(await foundBy(labeller, image, all)).toEqual([
      ['red', 20, 20, 20, 20, 0.9],
      ['blue', 20, 20, 20, 20, 0.5],
    ]);
    expect(await labels({ ...all, overlap: 0.7 })).toEqual(['red', 'red', 'blue']);
    expect(await labels({ ...all, confidence: 0.85 })).toEqual(['red']);
    const confidence = (label: string) => (label === 'red' ? 0.95 : 0.5);
    expect(await labels({ ...all, confidence })).toEqual(['blue']);
  });

  it('of one class is told apart by what the model says, and by the number of boxes', async () => {
    const one = { names: "{0: 'red'}" };
    const image = await squaresOn(64, 64, []);
    const corners = [10, 10, 30, 40, 0.9, 0];
    const asCorners = [['red', 20, 25, 20, 30, 0.9]];
    expect(await found(constantModel([1, 1, 6], corners, one), image)).toEqual(asCorners);
    const many = [...corners, ...Array(6 * 300).fill(0)];
    const stated = { ...one, end2end: 'True' };
    expect(await found(constantModel([1, 301, 6], many, stated), image)).toEqual(asCorners);
    const [x, y, width, height] = [20, 20, 10, 10];
    const rows = [...[x, y, width, height, 0.5, 0.9], ...Array(6 * 300).fill(0)];
    expect(await found(constantModel([1, 301, 6], rows, one), image)).toEqual([
      ['red', 20, 20, 10, 10, 0.45],
    ]);
  });

  it('is cut off at the edges of the image, and left out beyond them', async () => {
    const file = constantModel([1, 2, 6], [-10, -10, 10, 10, 0.9, 0, 70, 70, 90, 90, 0.9, 0]);
    expect(await found(file, await squaresOn(64, 64, []))).toEqual([['red', 5, 5, 10, 10, 0.9]]);
  });

  it.each([
    ['a score above 1', [10, 10, 30, 30, 7.5, 0], /^The model gives a score of 7.5, and/],
    ['no number as a score', [10, 10, 30, 30, Number.NaN, 0], /scores that are no numbers/],
    ['two scores (RT-DETR)', [0.5, 0.5, 0.2, 0.2, 0.9, 0.03], /^The model gives 0.03 as/],
    ['a sure second class alone', [0.5, 0.5, 0.2, 0.2, 0.01, 0.97], /as the number of a class/],
    ['no number as a place', [Number.NaN, 10, 30, 30, 0.9, 0], /places are no numbers/],
  ])('with %s is no answer', async (_, values, words) => {
    const labeller = await shared.labellerOf(constantModel([1, 1, 6], values));
    await expect(labeller.detect(await squaresOn(64, 64, []), all)).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringMatching(words),
      retry: 'never',
    });
  });
});

describe('a file', () => {
  // One thread sees all of them: what it refused keeps it from nothing.
  const plain = node('Relu', ['images'], ['output0']);
  const external = onnxModel({
    metadata: redAndBlue,
    output: [1, 3, 64, 64],
    tensors: [elsewhere('secret', [1], '/etc/passwd')],
    nodes: [node('Add', ['images', 'secret'], ['output0'])],
  });

  it.each([
    ['text', Buffer.from('no model'), /^model: is not an ONNX file, or only a part of one$/],
    ['nothing', Buffer.alloc(0), /^model: is empty$/],
    ['half a model', colourFinder().subarray(0, 300), /^model: is not an ONNX file/],
    [
      'an unknown operator',
      onnxModel({ output: [1, 6, 4], nodes: [node('Dream', ['images'], ['output0'])] }),
      /^model: is not a model that the ONNX runtime can load$/,
    ],
    ['weights in another file', external, /^model: keeps its weights in another file$/],
    [
      'another output',
      onnxModel({ metadata: redAndBlue, output: [1, 3, 64, 64], nodes: [plain] }),
      /^model: gives 3 scores for each pixel, and has 2 names of classes$/,
    ],
    [
      'another input',
      onnxModel({
        metadata: redAndBlue,
        input: [1, 1, 28, 28],
        output: [1, 1, 28, 28],
        nodes: [plain],
      }),
      /^model: takes float32 \[1, 1, 28, 28\], which is no model known here$/,
    ],
    [
      'a huge input',
      onnxModel({
        metadata: redAndBlue,
        input: [1, 3, 4096, 4096],
        output: [1, 3, 4096, 4096],
        nodes: [plain],
      }),
      /^model: takes float32 \[1, 3, 4096, 4096\]/,
    ],
    [
      'a fixed batch',
      onnxModel({
        metadata: redAndBlue,
        input: [8, 3, 64, 64],
        output: [8, 3, 64, 64],
        nodes: [plain],
      }),
      /^model: takes float32 \[8, 3, 64, 64\]/,
    ],
    [
      'too few names',
      colourFinder({ names: "{0: 'red'}" }),
      /^model: gives \[1, 6, 16\] for 1 classes/,
    ],
  ])('of %s is refused', async (_, file, words) => {
    await writeFile(shared.path, file);
    const refused = { code: 'invalid_input', message: expect.stringMatching(words) };
    await expect(shared.models.inspect(shared.path)).rejects.toMatchObject(refused);
  });

  it('that was replaced is read anew', async () => {
    await writeFile(shared.path, colourFinder());
    expect((await shared.models.resolve('w', 'local')).classes).toEqual(['red', 'blue']);
    await writeFile(shared.path, colourFinder({ names: "['first', 'second one']" }));
    expect((await shared.models.resolve('w', 'local')).classes).toEqual(['first', 'second one']);
  });

  it('without a fixed size is given 640 x 640', async () => {
    // The mean of the whole canvas, as the width of one box: it tells how large that was.
    const free = onnxModel({
      metadata: { names: "{0: 'all'}" },
      input: ['batch', 3, 'height', 'width'],
      output: ['batch', 5, 'boxes'],
      tensors: [tensor('place', [1, 5, 1], [320, 320, 640, 640, 0.75])],
      nodes: [
        node('ReduceMean', ['images'], ['mean'], { axes: [0, 1, 2, 3], keepdims: 0 }),
        node('Sub', ['mean', 'mean'], ['zero']),
        node('Add', ['place', 'zero'], ['output0']),
      ],
    });
    const image = await squaresOn(32, 32, []);
    expect(await found(free, image)).toEqual([['all', 16, 16, 32, 32, 0.75]]);
  });
});

describe('the models of a workspace', () => {
  it('are those of trainings, and the one of the settings', async () => {
    const { models } = await modelsOf(colourFinder());
    expect(models.configured).toBe('local');
    const trained = await models.resolve('w', 'cells/1');
    expect([trained.modelId, trained.classes]).toEqual(['cells/1', ['rot', 'blau']]);
    expect(await models.state('w', 'cells/1')).toEqual({ status: 'ready', reason: undefined });
    await expect(models.resolve('w', 'cells/2')).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no model "cells/2".',
    });
    expect(await models.state('w', 'cells/2')).toEqual({
      status: 'no_model',
      reason: 'There is no model "cells/2".',
    });
  });

  it('of the same bytes and other names of classes are not mixed up', async () => {
    const folder = await temporaryFolder();
    const blobs = await openBlobFolder(folder, systemClock);
    const { hash } = await blobs.put(colourFinder({}));
    const findWeights: FindWeights = async (_workspaceId, modelId) => ({
      hash,
      classes: modelId === 'cells/1' ? ['rot', 'blau'] : ['rouge', 'bleu'],
    });
    const models = createModels({ model: undefined, blobs, findWeights });
    onTestFinished(() => models.close());
    const image = await squaresOn(64, 64, [{ left: 0, top: 0, colour: red }]);
    const labels: unknown[] = [];
    for (const modelId of ['cells/1', 'cells/2', 'cells/1']) {
      const labeller = await models.resolve('w', modelId);
      const [detection] = (await labeller.detect(image, all)).detections;
      labels.push(detection?.label, ...labeller.classes);
    }
    expect(labels).toEqual([
      ...['rot', 'rot', 'blau', 'rouge', 'rouge', 'bleu', 'rot', 'rot', 'blau'],
    ]);
  });

  it('more than fit in memory see a video in batches, and each frame in its order', async () => {
    const folder = await temporaryFolder();
    const blobs = await openBlobFolder(folder, systemClock);
    let loads = 0;
    const counting = {
      ...blobs,
      size: (hash: string) => blobs.size(hash),
      get: (hash: string) => {
        loads += 1;
        return blobs.get(hash);
      },
    };
    const names = new Map<string, string>();
    for (const one of ['a', 'b', 'c']) {
      const { hash } = await blobs.put(colourFinder({ names: `['red ${one}', 'blue ${one}']` }));
      names.set(one, hash);
    }
    const findWeights: FindWeights = async (_workspaceId, modelId) => ({
      hash: names.get(modelId) ?? '',
      classes: [],
    });
    const models = createModels({ model: undefined, blobs: counting, findWeights });
    onTestFinished(() => models.close());
    const detectors = [];
    for (const modelId of names.keys()) {
      detectors.push({ labeller: await models.resolve('w', modelId), confidence: 0.4 });
    }
    expect(loads).toBe(3);
    const pictures = [
      await squaresOn(64, 64, [{ left: 0, top: 0, colour: red }]),
      await squaresOn(64, 64, [{ left: 0, top: 0, colour: blue }]),
    ];
    const frames = async function* () {
      for (let frame = 0; frame < 66; frame += 1) yield pictures[frame % 2] ?? Buffer.alloc(0);
    };
    const seen: string[] = [];
    for await (const one of detectInFrames(frames(), detectors, all.signal)) {
      expect(one.frame).toBe(pictures[seen.length % 2]);
      seen.push(one.seen.map(({ detections }) => detections[0]?.label).join(', '));
    }
    expect(seen).toEqual(
      Array.from({ length: 66 }, (_, frame) =>
        frame % 2 === 0 ? 'red a, red b, red c' : 'blue a, blue b, blue c',
      ),
    );
    // Two batches: all three models anew for the first, and one for the second.
    expect(loads).toBe(3 + 3 + 1);
  });

  it('whose file is gone in the meantime fail as models, not as images', async () => {
    const { models, path } = await modelsOf(colourFinder());
    const labeller = await models.resolve('w', 'local');
    await writeFile(path, 'no model any more');
    // Two others take its place in memory.
    await models.resolve('w', 'cells/1');
    await models.inspect(resolve('test/fixtures/squares.onnx'));
    const image = await squaresOn(64, 64, []);
    await expect(labeller.detect(image, all)).rejects.toMatchObject({ code: 'upstream_failed' });
    await expect(labeller.detect(Buffer.from('no image'), all)).rejects.toMatchObject({
      code: 'upstream_failed',
    });
    const other = await models.resolve('w', 'cells/1');
    await expect(other.detect(Buffer.from('no image'), all)).rejects.toMatchObject({
      code: 'unsupported_media',
    });
  });

  it('are none where nothing is configured', async () => {
    const { models } = await modelsOf(undefined);
    expect(models.configured).toBeUndefined();
    const words =
      'No detection model is configured. Set FOVEA_MODEL to an ONNX file, or train and deploy one.';
    await expect(models.resolve('w', 'local')).rejects.toMatchObject({ message: words });
    expect(await models.state('w', 'local')).toEqual({ status: 'no_model', reason: words });
  });

  it('says where the file is gone', async () => {
    const { models, path } = await modelsOf(colourFinder());
    await rm(path);
    const refused = { code: 'not_found', message: 'The model file cannot be read.' };
    await expect(models.resolve('w', 'local')).rejects.toMatchObject(refused);
    expect(await models.state('w', 'local')).toMatchObject({ status: 'no_model' });
  });

  it('take turns: many calls of more models than fit all get their own answer', async () => {
    const files = [1, 2, 3].map((one) => ({
      key: `model ${one}`,
      classes: undefined,
      read: async () => new Uint8Array(colourFinder({ names: `['red ${one}', 'blue ${one}']` })),
    }));
    const loaded = createLoadedModels(2);
    onTestFinished(() => loaded.close());
    let [atOnce, most] = [0, 0];
    const asked = Array.from({ length: 9 }, (_, call) => call % 3);
    const answers = await Promise.all(
      asked.map((which) => {
        const file = files[which] ?? files[0];
        if (file === undefined) throw new Error('no file');
        return loaded.with(file, all.signal, async ({ classes }) => {
          most = Math.max(most, ++atOnce);
          await setImmediate();
          atOnce -= 1;
          return classes[0];
        });
      }),
    );
    expect(answers).toEqual(asked.map((which) => `red ${which + 1}`));
    expect(most).toBeLessThanOrEqual(2);
  });

  it('that wait for each other end when the service does', async () => {
    const loaded = createLoadedModels(1);
    const file = {
      key: 'one',
      classes: undefined,
      read: async () => new Uint8Array(colourFinder()),
    };
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const first = loaded.with(file, all.signal, async () => {
      opened.resolve();
      await closed.promise;
    });
    await opened.promise;
    const second = loaded.with(file, all.signal, async () => {});
    loaded.close();
    closed.resolve();
    await first;
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    await expect(loaded.with(file, all.signal, async () => {})).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('a call that is cancelled takes no place, and leaves the model usable', async () => {
    const { models } = await modelsOf(colourFinder());
    const labeller = await models.resolve('w', 'local');
    const image = await squaresOn(64, 64, [{ left: 0, top: 0, colour: red }]);
    const cancel = new AbortController();
    cancel.abort(new Error('enough'));
    const options = { ...all, signal: cancel.signal };
    await expect(labeller.detect(image, options)).rejects.toThrow('enough');
    expect((await labeller.detect(image, all)).detections).toHaveLength(1);
  });
});
