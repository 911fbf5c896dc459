// The example trainer alone: the model that it writes, against what it has measured.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { openOnnxSession } from '../../src/model-inference/onnx-session.ts';
import { randomFrom } from '../../src/seeded-random.ts';
import {
  candidateOf,
  type LabelledBox,
  targetsOf,
} from '../../src/trainers/example/boxes-of-cells.ts';
import { qualityOf } from '../../src/trainers/example/evaluate.ts';
import { trainExample } from '../../src/trainers/example/example-trainer.ts';
import { channels, featureMaps, gridSide } from '../../src/trainers/example/features.ts';
import { modelFile } from '../../src/trainers/example/model-graph.ts';
import { CellPass, createNetwork, padded } from '../../src/trainers/example/network.ts';
import { onnxModel } from '../../src/trainers/example/onnx-writer.ts';

/** A dataset of red squares on green, one in each picture; the first is also its valid split. */
async function redSquares(images: number) {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-example-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const part of ['train/images', 'train/labels', 'valid/images', 'valid/labels']) {
    await mkdir(join(folder, 'dataset', part), { recursive: true });
  }
  await mkdir(join(folder, 'output'));
  for (let index = 0; index < images; index += 1) {
    const [left, top] = [20 + 37 * index, 30 + ((53 * index) % 140)];
    const red = { create: { width: 60, height: 60, channels: 3, background: '#e01010' } } as const;
    const pixels = await sharp({
      create: { width: 320, height: 320, channels: 3, background: '#109020' },
    })
      .composite([{ input: await sharp(red).png().toBuffer(), left, top }])
      .png()
      .toBuffer();
    const centre = [(left + 30) / 320, (top + 30) / 320, 60 / 320, 60 / 320];
    for (const split of index === 0 ? ['train', 'valid'] : ['train']) {
      const place = join(folder, 'dataset', split);
      await writeFile(join(place, `images/${index}.png`), pixels);
      await writeFile(join(place, `labels/${index}.txt`), `0 ${centre.join(' ')}\n`);
    }
  }
  const job = {
    contract: 1,
    dataset: join(folder, 'dataset'),
    output: join(folder, 'output'),
    classes: ['square'],
    recipe: { hyperparameters: { epochs: 25, learningRate: 0.004 } },
  };
  await writeFile(join(folder, 'job.json'), JSON.stringify(job));
  return { folder, jobFile: join(folder, 'job.json') };
}

it('learns where red squares are, and the same model each time', async () => {
  const { folder, jobFile } = await redSquares(6);
  const lines: string[] = [];
  const run = { say: (line: string) => lines.push(line), isStopped: () => false };
  await trainExample(jobFile, run);
  const model = await readFile(join(folder, 'output/model.onnx'));
  const metrics = JSON.parse(await readFile(join(folder, 'output/metrics.json'), 'utf8'));
  expect(metrics).toMatchObject({ map50: 1, recall: 1, epochs: 25, images_train: 6 });
  expect(lines).toHaveLength(25);
  await trainExample(jobFile, run);
  expect((await readFile(join(folder, 'output/model.onnx'))).equals(model)).toBe(true);
});

it('ends after the epoch in which it is stopped, with a model', async () => {
  const { folder, jobFile } = await redSquares(2);
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  await trainExample(jobFile, { say, isStopped: () => lines.length >= 3 });
  expect(lines).toHaveLength(3);
  expect((await readFile(join(folder, 'output/model.onnx'))).length).toBeGreaterThan(30_000);
});

it('says that there is nothing to learn', async () => {
  const { jobFile } = await redSquares(0);
  const run = trainExample(jobFile, { say: () => {}, isStopped: () => false });
  await expect(run).rejects.toThrow('The train split has no labelled boxes to learn from.');
});

it('measures on no images that it has learned', async () => {
  const { folder, jobFile } = await redSquares(2);
  const run = { say: () => {}, isStopped: () => false };
  const refusal = 'The valid split has no labelled boxes to measure on.';
  await writeFile(join(folder, 'dataset/valid/labels/0.txt'), '');
  await expect(trainExample(jobFile, run)).rejects.toThrow(refusal);
  await rm(join(folder, 'dataset/valid'), { recursive: true });
  await expect(trainExample(jobFile, run)).rejects.toThrow(refusal);
  await expect(readFile(join(folder, 'output/metrics.json'))).rejects.toThrow('ENOENT');
});

it('writes a model that computes what the network does', async () => {
  const random = randomFrom('parity');
  const network = createNetwork(4 + 2, random);
  for (const values of [network.second, network.secondBias, network.firstBias]) {
    for (const place of values.keys()) values[place] = random() - 0.5;
  }
  const planes = Float32Array.from({ length: 3 * 320 * 320 }, () => random());
  const means = Array.from({ length: channels }, () => Math.fround(random()));
  const factors = Array.from({ length: channels }, () => Math.fround(1 + random() * 5));
  const session = await openOnnxSession(modelFile(network, { means, factors }, ["a'b", 'c"d']));
  const input = { values: planes, dims: [1, 3, 320, 320] };
  const [output] = await session.run(input, ['output0']);
  const values = output?.values ?? [];
  expect(output?.dims).toEqual([1, 6, 400]);
  const size = gridSide * gridSide;
  const scaled = featureMaps(planes).map((value, place) => {
    const channel = Math.floor(place / size);
    return (value - (means[channel] ?? 0)) * (factors[channel] ?? 0);
  });
  const maps = padded(scaled, { across: false, down: false });
  const pass = new CellPass(network);
  for (const cell of [0, 19, 21, 210, 399]) {
    pass.forward(maps, Math.floor(cell / gridSide), cell % gridSide);
    const { left, right, top, bottom, score, classIndex } = candidateOf(
      pass.output,
      Math.floor(cell / gridSide),
      cell % gridSide,
    );
    const at = (place: number) => values[place * 400 + cell] ?? Number.NaN;
    expect(at(0)).toBeCloseTo((left + right) / 2, 2);
    expect(at(1)).toBeCloseTo((top + bottom) / 2, 2);
    expect(at(2) / (right - left)).toBeCloseTo(1, 3);
    expect(at(3) / (bottom - top)).toBeCloseTo(1, 3);
    expect(at(4 + classIndex)).toBeCloseTo(score, 4);
  }
});

it('has slopes that are those of its loss', () => {
  const network = createNetwork(5, randomFrom('slopes'));
  const maps = padded(
    Float32Array.from({ length: channels * gridSide * gridSide }, (_, place) => Math.sin(place)),
    { across: true, down: false },
  );
  // The sum of the outputs of a cell, and how it follows one weight of the first layer.
  const outputOf = () => {
    const pass = new CellPass(network);
    pass.forward(maps, 7, 3);
    return pass.output.reduce((sum, value) => sum + value, 0);
  };
  // Halfway is zero.
  const sums = createNetwork(5, () => 0.5);
  const pass = new CellPass(network);
  pass.forward(maps, 7, 3);
  pass.backward(new Float32Array(5).fill(1), sums);
  for (const place of [0, 500, 4_000]) {
    const before = network.first[place] ?? 0;
    const step = 1 / 64;
    network.first[place] = before + step;
    const above = outputOf();
    network.first[place] = before - step;
    const below = outputOf();
    network.first[place] = before;
    expect(sums.first[place]).toBeCloseTo((above - below) / (2 * step), 3);
  }
});

it('gives each box the cells of its middle, the smaller box first', () => {
  const large: LabelledBox = { classIndex: 0, left: 0, top: 0, right: 160, bottom: 160 };
  const small: LabelledBox = { classIndex: 1, left: 68, top: 68, right: 84, bottom: 84 };
  const targets = targetsOf([small, large]);
  expect(targets.get(4 * gridSide + 4)?.classIndex).toBe(1);
  expect(targets.get(3 * gridSide + 4)?.classIndex).toBe(0);
  expect([...targets.values()].filter(({ classIndex }) => classIndex === 1)).toHaveLength(1);
  // A tiny box at the very edge has a cell too.
  const edge = { classIndex: 2, left: 318, top: 318, right: 320, bottom: 320 };
  expect([...targetsOf([edge]).keys()]).toEqual([399]);
});

it('counts a box once, and a second guess of it as wrong', () => {
  // A network that says nothing finds nothing.
  const network = createNetwork(5, () => 0.5);
  network.secondBias.fill(-20);
  const maps = new Float32Array(channels * gridSide * gridSide);
  const box = { classIndex: 0, left: 10, top: 10, right: 58, bottom: 58 };
  expect(qualityOf(network, [{ maps, boxes: [box] }])).toEqual({
    map50: 0,
    precision: 0,
    recall: 0,
  });
  // One that says the usual box everywhere finds the one box and 48 more that are none.
  network.secondBias.set([0, 0, 0, 0, 3]);
  const everywhere = qualityOf(network, [{ maps, boxes: [box] }]);
  expect(everywhere.recall).toBe(1);
  expect(everywhere.precision).toBeLessThan(0.02);
});

it('refuses a constant whose shape does not fit its values', () => {
  const constant = { name: 'w', type: 'float', shape: [2, 2], values: [1, 2, 3] } as const;
  const graph = { name: 'g', inputs: [], outputs: [], nodes: [], constants: [constant] };
  expect(() => onnxModel(graph)).toThrow('"w" has 3 values for [2, 2]');
});
