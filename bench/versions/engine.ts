// Does what a request asks for with Fovea's engine, as opencv.py does it with OpenCV: JSON on
// stdin, JSON on stdout. Reading files is not measured, nor is loading the decoder and the kernel,
// as the imports of Python are not.

import { readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { normalizeSettings } from '../../src/contract/version-no-op-steps.ts';
import { createKernel } from '../../src/dataset-versions/kernel/kernel.ts';
import {
  type Emit,
  type RenderJob,
  type RenderSource,
  renderSources,
} from '../../src/dataset-versions/render-images.ts';
import { createRenderers } from '../../src/dataset-versions/render-threads.ts';
import { decodeImage } from '../../src/imaging/image-file.ts';
import { type Answer, settings } from './request.ts';

/** Sources that a thread works on at a time, as in a version. */
const batchSize = 16;

const request = z
  .object({
    task: z.enum(['job', 'derive', 'limit']),
    processes: z.number(),
    images: z.number(),
    train: z.array(z.string()),
    others: z.array(z.string()),
  })
  .parse(await json(process.stdin));
const train = request.train.map((path) => readSource(path, 'train'));
const others = request.others.map((path) => readSource(path, 'valid'));
const kernel = createKernel();
const firstImage = await decodeImage(first(train).bytes);
const tasks = { job: runJob, derive: runDerive, limit: runLimit };
const measured = await tasks[request.task]();
process.stdout.write(`${JSON.stringify({ ...measured, versions: `Node ${process.version}` })}\n`);

type Measured = Omit<Answer, 'versions'>;

async function runJob(): Promise<Measured> {
  const stopwatch = startStopwatch();
  const jobs = [...batchesOf(train), ...batchesOf(others)];
  if (request.processes === 1) {
    for (const job of jobs) await renderSources(kernel, job, stopwatch.count);
    return stopwatch.stop();
  }
  const renderers = createRenderers(request.processes);
  const { signal } = new AbortController();
  await Promise.all(jobs.map((job) => renderers.render(job, stopwatch.count, signal)));
  const result = stopwatch.stop();
  await renderers.close();
  return result;
}

/** The clock stands still while anything but a copy is made. */
async function runDerive(): Promise<Measured> {
  const job = first(batchesOf(train));
  const imagesPerPiece = Math.ceil(request.images / job.sources.length) + 1;
  const stopwatch = startStopwatch();
  stopwatch.pause();
  await renderSources(kernel, { ...job, imagesPerPiece }, async (image) => {
    if (image.copy > 0) await stopwatch.count(image);
    if (image.copy === imagesPerPiece - 1) stopwatch.pause();
    else stopwatch.resume();
  });
  return stopwatch.stop();
}

async function runLimit(): Promise<Measured> {
  const { width, height } = settings.preprocessing.resize;
  const same = kernel.resample(kernel.load(firstImage), { width, height });
  const stopwatch = startStopwatch();
  for (const { bytes, split } of [...train, ...others]) {
    await decodeImage(bytes);
    const count = split === 'train' ? settings.augmentation.image.versions : 1;
    for (let left = count; left > 0; left--) {
      await stopwatch.count({ bytes: kernel.encodeJpeg(same, 95) });
    }
  }
  return stopwatch.stop();
}

function batchesOf(sources: readonly RenderSource[]): readonly RenderJob[] {
  const count = Math.ceil(sources.length / batchSize);
  return Array.from({ length: count }, (_, index) => ({
    settings: normalizeSettings(settings),
    seed: '',
    imagesPerPiece: settings.augmentation.image.versions,
    sources: sources.slice(index * batchSize, (index + 1) * batchSize),
    output: 'file',
  }));
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) throw new Error('There is no image.');
  return item;
}

function readSource(path: string, split: 'train' | 'valid'): RenderSource {
  return { bytes: readFileSync(path), hash: path, split, boxes: [] };
}

function startStopwatch() {
  const total = { images: 0, bytes: 0, cpuMs: 0, wallMs: 0 };
  let since: { readonly cpuMs: number; readonly wallMs: number } | undefined = now();
  const pause = () => {
    if (since === undefined) return;
    const { cpuMs, wallMs } = now();
    total.cpuMs += cpuMs - since.cpuMs;
    total.wallMs += wallMs - since.wallMs;
    since = undefined;
  };
  const count = async ({ bytes }: Pick<Parameters<Emit>[0], 'bytes'>) => {
    total.images += 1;
    total.bytes += bytes.length;
  };
  return {
    count,
    pause,
    resume: () => {
      since ??= now();
    },
    stop: () => {
      pause();
      return total;
    },
  };
}

function now() {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() };
}
