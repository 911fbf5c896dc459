// From the files of photos to their vectors, beside the ONNX runtime alone on numbers that are
// ready: with a made encoder that has as much to multiply as a small published one.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../../src/limits.ts';
import { createEmbedder, type Embedder } from '../../src/model-inference/embedder.ts';
import { type OnnxSession, openOnnxSession } from '../../src/model-inference/onnx-session.ts';
import { randomFrom } from '../../src/seeded-random.ts';
import { preprocessor, writeEmbedder } from '../../test/fixtures/embedder-folder.ts';
import { node, onnxModel, tensor } from '../../test/fixtures/onnx-writer.ts';
import { formatRange, formatTable } from '../measure/text-table.ts';

const side = 224;
const rounds = 5;
const photos = 'sample/blood-cells/JPEGImages';

/** Gives lines to print. Rounds alternate, so that what else the machine does meets both. */
export async function measureThroughput(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fovea-throughput-'));
  const embedder = createEmbedder(folder);
  const signal = new AbortController().signal;
  try {
    await writeEmbedder(folder);
    const size = { height: side, width: side };
    const settings = { ...preprocessor, crop_size: size, size: { shortest_edge: side } };
    writeFileSync(join(folder, 'preprocessor_config.json'), JSON.stringify(settings));
    const model = imageEncoder();
    writeFileSync(join(folder, 'onnx/vision_model.onnx'), model);
    const files = readdirSync(photos).map((name) => readFileSync(join(photos, name)));
    const session = await openOnnxSession(model);
    const runtimeAlone = () => runAlone(session, files.length);
    const fileToVector = () => embedAll(embedder, files, signal);
    await runtimeAlone();
    await fileToVector();
    const times: { readonly alone: number; readonly whole: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      times.push({ alone: await runtimeAlone(), whole: await fileToVector() });
    }
    await session.close();
    const ofAll = (figure: (round: (typeof times)[number]) => number) => times.map(figure);
    return formatTable([
      [`Embedding ${files.length} photos, ${rounds} rounds`, 'ms an image'],
      ['the runtime alone, on numbers that are ready', formatRange(ofAll(({ alone }) => alone))],
      ['from the file of a photo to its vector', formatRange(ofAll(({ whole }) => whole))],
      [
        'times as long',
        formatRange(
          ofAll((round) => round.whole / round.alone),
          2,
        ),
      ],
    ]);
  } finally {
    await embedder.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds an image. */
async function runAlone(session: OnnxSession, count: number): Promise<number> {
  const values = new Float32Array(3 * side ** 2).fill(0.1);
  const dims = [1, 3, side, side];
  const startMs = performance.now();
  for (let run = 0; run < count; run += 1) {
    const feeds = new Map([['pixel_values', { type: 'float32', values, dims } as const]]);
    await session.runNamed(feeds, 'image_embeds');
  }
  return (performance.now() - startMs) / count;
}

/** As many together as in the background. */
async function embedAll(
  embedder: Embedder,
  files: readonly Buffer[],
  signal: AbortSignal,
): Promise<number> {
  const startMs = performance.now();
  for (let from = 0; from < files.length; from += limits.imagesEmbeddedTogether) {
    const some = files.slice(from, from + limits.imagesEmbeddedTogether);
    await Promise.all(some.map((bytes) => embedder.embedImage(bytes, signal)));
  }
  return (performance.now() - startMs) / files.length;
}

const width = 512;
const blocks = 6;

/** 196 patches of an image, six blocks of 2.1 million weights each, and the mean: 512 numbers. */
function imageEncoder(): Uint8Array {
  const random = randomFrom('weights');
  const weights = (name: string, dims: readonly number[]) => {
    const count = dims.reduce((product, length) => product * length, 1);
    const most = 1 / Math.sqrt(count / (dims[0] ?? 1));
    return tensor(
      name,
      dims,
      Float32Array.from({ length: count }, () => (random() - 0.5) * most),
    );
  };
  const one = { kernel_shape: [1, 1] };
  const layers = Array.from({ length: blocks }, (_, at) => at);
  return onnxModel({
    names: { input: 'pixel_values', output: 'image_embeds' },
    input: ['batch', 3, side, side],
    output: ['batch', width],
    tensors: [
      weights('patches', [width, 3, 16, 16]),
      ...layers.flatMap((at) => [
        weights(`wide${at}`, [width * 4, width, 1, 1]),
        weights(`narrow${at}`, [width, width * 4, 1, 1]),
      ]),
    ],
    nodes: [
      node('Conv', ['pixel_values', 'patches'], ['x0'], {
        kernel_shape: [16, 16],
        strides: [16, 16],
      }),
      ...layers.flatMap((at) => [
        node('Conv', [`x${at}`, `wide${at}`], [`w${at}`], one),
        node('Relu', [`w${at}`], [`r${at}`]),
        node('Conv', [`r${at}`, `narrow${at}`], [`n${at}`], one),
        node('Add', [`x${at}`, `n${at}`], [`x${at + 1}`]),
      ]),
      node('ReduceMean', [`x${blocks}`], ['image_embeds'], { axes: [2, 3], keepdims: 0 }),
    ],
  });
}
