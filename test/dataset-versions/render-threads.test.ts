// Threads that make images: their turns, their ends, and what they do when something fails.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import type {
  RenderedFile,
  RenderedImage,
  RenderJob,
} from '../../src/dataset-versions/render-images.ts';
import { createRenderers, type Renderers } from '../../src/dataset-versions/render-threads.ts';
import { prepareDecoding } from '../../src/imaging/image-thread-pool.ts';
import { sha256 } from '../../src/storage/content-hash.ts';
import { drawPng, rowsOf } from './letter-images.ts';
import { renderJob } from './render-images.ts';

const never = new AbortController().signal;
const letters = await drawPng('abcd', 'efgh');
const box = { label: 'a', x: 1, y: 1, width: 2, height: 2 };

function open(count: number): Renderers {
  const renderers = createRenderers(count);
  onTestFinished(() => renderers.close());
  return renderers;
}

function jobOf(
  bytes: Uint8Array,
  { preprocessing = {}, augmentation = {} }: Partial<VersionSettings>,
  more: Partial<RenderJob> = {},
): RenderJob {
  return {
    settings: { preprocessing, augmentation },
    seed: '',
    output: 'pixels',
    imagesPerPiece: augmentation.image?.versions ?? 1,
    sources: [{ bytes, hash: 'source', split: 'train', boxes: [box] }],
    ...more,
  };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-render-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const tiles = jobOf(letters, { preprocessing: { tile: { rows: 2, columns: 4 } } });
const flipped = jobOf(letters, {
  augmentation: { flip: { horizontal: true }, image: { versions: 2 } },
});

/** Seconds of work: far more images than a test waits for. */
const long = jobOf(await sharp(letters).resize(600, 600).png().toBuffer(), {
  augmentation: { blur: { pixels: 20 }, rotate: { degrees: 45 }, image: { versions: 500 } },
});

async function imagesOf(renderers: Renderers, job: RenderJob, signal = never) {
  const images: RenderedImage[] = [];
  await renderers.render(job, async (image) => void images.push(image), signal);
  return images;
}

/** Resolves when a job has begun; what it comes to is in `end`. */
async function begin(renderers: Renderers, job: RenderJob, signal = never) {
  const begun = Promise.withResolvers<void>();
  const end = renderers.render(job, async () => begun.resolve(), signal).catch((thrown) => thrown);
  await begun.promise;
  return { end };
}

/** The one that says which decoders may run. It stays. */
const imageThreads = 1;

beforeAll(() => prepareDecoding());

function threads(): number {
  const report: unknown = process.report.getReport();
  const isReport = typeof report === 'object' && report !== null && 'workers' in report;
  return isReport && Array.isArray(report.workers)
    ? report.workers.length - imageThreads
    : Number.NaN;
}

describe('jobs', () => {
  test('give the same images from threads as from here, in their order', async () => {
    const renderers = open(2);
    const augmentation = {
      mosaic: true,
      bbrotate: { degrees: 30 },
      rotate: { degrees: 15 },
      blur: { pixels: 2 },
      noise: { percent: 10 },
      hue: { degrees: 90 },
      image: { versions: 4 },
    };
    const photo = await sharp(letters).resize(120, 80).png().toBuffer();
    const sources = ['one', 'two', 'three'].map(
      (hash) => ({ bytes: photo, hash, split: 'train', boxes: [box] }) as const,
    );
    const job = jobOf(photo, { augmentation }, { sources, output: 'file' });
    const here = await renderJob({ sources, output: 'file' }, { augmentation });
    const [first, second] = await Promise.all([imagesOf(renderers, job), imagesOf(renderers, job)]);
    expect(here).toHaveLength(12);
    const comparable = (images: readonly RenderedImage[]) =>
      images.map((image) => ({ ...image, bytes: Buffer.from(image.bytes).toString('base64') }));
    expect(comparable(first ?? [])).toEqual(comparable(here));
    expect(comparable(second ?? [])).toEqual(comparable(here));
  });

  test('take turns when there are more than threads', async () => {
    const renderers = open(2);
    const results = await Promise.all(Array.from({ length: 7 }, () => imagesOf(renderers, tiles)));
    for (const images of results) {
      expect(images.map((image) => rowsOf(image).join())).toEqual([...'abcdefgh']);
    }
    expect(threads()).toBe(2);
  });

  test('are begun in the order in which they came', async () => {
    const renderers = open(1);
    const ended: number[] = [];
    await Promise.all(
      [0, 1, 2, 3].map(async (number) => {
        await renderers.render(tiles, async () => {}, never);
        ended.push(number);
      }),
    );
    expect(ended).toEqual([0, 1, 2, 3]);
  });

  test('wait for whoever takes the images', async () => {
    const renderers = open(2);
    const gate = Promise.withResolvers<void>();
    let taken = 0;
    const emit = async () => {
      taken++;
      await gate.promise;
    };
    // Eight images of each source.
    const many = { ...tiles, sources: [...tiles.sources, ...tiles.sources, ...tiles.sources] };
    const work = renderers.render(many, emit, never);
    await vi.waitUntil(() => taken === 16, { timeout: 10_000 });
    // Time enough for the first thread to make more than it should.
    for (let turn = 0; turn < 20; turn++) await imagesOf(renderers, tiles);
    expect(taken).toBe(16);
    gate.resolve();
    await work;
    expect(taken).toBe(24);
  });
});

describe('files', () => {
  async function filesOf(folder: string, job: RenderJob) {
    const files: RenderedFile[] = [];
    const emit = async (file: RenderedFile) => void files.push(file);
    await open(1).renderFiles({ ...job, output: 'file' }, folder, emit, never);
    return files;
  }

  test('are written by the threads, with what is known of them', async () => {
    const folder = await newFolder();
    const files = await filesOf(folder, flipped);
    const images = await imagesOf(open(1), { ...flipped, output: 'file' });
    const [stored, copy] = files;
    const copied = images[1];
    expect(files).toHaveLength(2);
    // Nothing changes the first one: it is the file of its source.
    const { bytes: _, ...facts } = images[0] ?? {};
    const same = { path: undefined, hash: 'source', bytes: letters.byteLength };
    expect(stored).toEqual({ ...facts, ...same });
    assert(copy?.path !== undefined && copied !== undefined);
    expect(await readdir(folder)).toEqual([basename(copy.path)]);
    const content = await readFile(copy.path);
    expect(content.equals(copied.bytes)).toBe(true);
    expect([copy.hash, copy.bytes]).toEqual([sha256(content), content.byteLength]);
  });

  test('that cannot be written fail the job, and no source', async () => {
    const folder = join(await newFolder(), 'missing');
    await expect(filesOf(folder, flipped)).rejects.toMatchObject({
      code: 'internal',
      message: 'The disk of the files failed.',
    });
  });
});

describe('while the images of a job are still being taken', () => {
  test('its thread makes those of the next', async () => {
    const renderers = open(1);
    const gate = Promise.withResolvers<void>();
    const first = renderers.render(flipped, () => gate.promise, never);
    expect(await imagesOf(renderers, tiles)).toHaveLength(8);
    gate.resolve();
    await first;
  });

  test('it fails alone', async () => {
    const renderers = open(1);
    const gate = Promise.withResolvers<void>();
    const first = renderers.render(flipped, () => gate.promise, never);
    const second = await begin(renderers, tiles);
    gate.reject(new Error('the disk is full'));
    await expect(first).rejects.toThrow('the disk is full');
    expect(await second.end).toBeUndefined();
    expect(threads()).toBe(1);
  });

  test('it can be aborted', async () => {
    const renderers = open(1);
    const stop = new AbortController();
    const first = renderers.render(flipped, () => new Promise(() => {}), stop.signal);
    await imagesOf(renderers, tiles);
    stop.abort(new Error('no longer wanted'));
    await expect(first).rejects.toThrow('no longer wanted');
    expect(await imagesOf(renderers, tiles)).toHaveLength(8);
  });
});

describe('an aborted job', () => {
  test('ends with its reason; its thread is replaced for the next', async () => {
    const renderers = open(1);
    const stop = new AbortController();
    const { end } = await begin(renderers, long, stop.signal);
    stop.abort(new Error('no longer wanted'));
    expect(await end).toMatchObject({ message: 'no longer wanted' });
    expect(await imagesOf(renderers, flipped)).toHaveLength(2);
    expect(threads()).toBe(1);
  });

  test('gives no image after its end', async () => {
    const renderers = open(1);
    const stop = new AbortController();
    let taken = 0;
    const work = renderers.render(
      long,
      async () => {
        taken++;
        stop.abort(new Error('enough'));
      },
      stop.signal,
    );
    await expect(work).rejects.toThrow('enough');
    const atEnd = taken;
    await imagesOf(renderers, tiles);
    expect(taken).toBe(atEnd);
  });

  test('leaves the queue, and never begins', async () => {
    const renderers = open(1);
    const stopFirst = new AbortController();
    const { end } = await begin(renderers, long, stopFirst.signal);
    const stop = new AbortController();
    let begun = 0;
    const waiting = renderers.render(tiles, async () => void begun++, stop.signal);
    const after = imagesOf(renderers, flipped);
    stop.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    stopFirst.abort(new Error('make room'));
    expect(await end).toMatchObject({ message: 'make room' });
    expect(await after).toHaveLength(2);
    expect(begun).toBe(0);
  });

  test('from the start makes no thread', async () => {
    const renderers = open(1);
    const before = threads();
    const aborted = AbortSignal.abort(new Error('too late'));
    await expect(imagesOf(renderers, flipped, aborted)).rejects.toThrow('too late');
    expect(threads()).toBe(before);
  });

  test('makes room for those that wait, but for no more', async () => {
    const renderers = open(2);
    const stop = new AbortController();
    const rest = new AbortController();
    const first = await begin(renderers, long, stop.signal);
    const second = await begin(renderers, long, rest.signal);
    const third = begin(renderers, long, rest.signal);
    stop.abort(new Error('make room'));
    const fourth = imagesOf(renderers, flipped, rest.signal).catch((thrown: unknown) => thrown);
    await first.end;
    const { end } = await third;
    expect(threads()).toBe(2);
    rest.abort(new Error('all'));
    for (const ended of [second.end, end, fourth]) {
      expect(await ended).toMatchObject({ message: 'all' });
    }
  });
});

describe('what fails', () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);

  afterEach(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('in emit is thrown; the next job is made', async () => {
    const renderers = open(1);
    let taken = 0;
    const work = renderers.render(
      long,
      async () => {
        taken++;
        throw new Error('the disk is full');
      },
      never,
    );
    await expect(work).rejects.toThrow('the disk is full');
    expect(taken).toBeGreaterThan(0);
    expect(await imagesOf(renderers, flipped)).toHaveLength(2);
  });

  test('in a source is thrown with its place, and the thread goes on', async () => {
    const renderers = open(1);
    const whole = await sharp(letters).resize(200, 200).jpeg().toBuffer();
    const half = whole.subarray(0, whole.length / 2);
    const source = { hash: 'source', split: 'train', boxes: [] } as const;
    const resize = { width: 10, height: 10, format: 'Stretch to' } as const;
    const job = jobOf(
      whole,
      { preprocessing: { resize } },
      {
        sources: [
          { ...source, bytes: whole },
          { ...source, bytes: half },
        ],
      },
    );
    const images: number[] = [];
    const work = renderers.render(job, async ({ source: at }) => void images.push(at), never);
    await expect(work).rejects.toMatchObject({
      name: 'Error',
      at: 1,
      cause: { code: 'invalid_input', problems: [{ path: 'file' }] },
    });
    expect(images).toEqual([0]);
    const text = jobOf(Buffer.from('text'), {});
    await expect(imagesOf(renderers, text)).rejects.toMatchObject({
      at: 0,
      cause: { code: 'unsupported_media' },
    });
    for (let turn = 0; turn < 6; turn++) {
      await expect(imagesOf(renderers, job)).rejects.toMatchObject({ at: 1 });
    }
    expect(await imagesOf(renderers, tiles)).toHaveLength(8);
    expect(threads()).toBe(1);
  });

  test('in a source waits for the images before it to be taken', async () => {
    const renderers = open(1);
    const whole = await sharp(letters).resize(64, 64).jpeg().toBuffer();
    const source = { hash: 'source', split: 'valid', boxes: [] } as const;
    const job = jobOf(
      whole,
      { preprocessing: { grayscale: true } },
      {
        sources: [
          { ...source, bytes: whole },
          // Its header can be read.
          { ...source, bytes: whole.subarray(0, whole.length - 100) },
        ],
      },
    );
    const order: string[] = [];
    const emit = async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      order.push('taken');
    };
    await renderers.render(job, emit, never).catch(() => order.push('failed'));
    expect(order).toEqual(['taken', 'failed']);
  });
});

describe('closing', () => {
  test('cancels what is in work and what waits; nothing is begun afterwards', async () => {
    const renderers = open(1);
    const { end } = await begin(renderers, long);
    let begun = 0;
    const waiting = renderers.render(flipped, async () => void begun++, never).catch((e) => e);
    await renderers.close();
    const cancelled = { code: 'cancelled', message: 'The service stops.' };
    expect(await end).toMatchObject(cancelled);
    expect(await waiting).toMatchObject(cancelled);
    await expect(imagesOf(renderers, flipped)).rejects.toMatchObject(cancelled);
    await renderers.close();
    expect(begun).toBe(0);
    expect(threads()).toBe(0);
  });

  test('is not needed: an idle thread keeps no process alive', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fovea-threads-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const script = `
      import { createRenderers } from '${new URL('../../src/dataset-versions/render-threads.ts', import.meta.url)}';
      const bytes = Buffer.from('${letters.toString('base64')}', 'base64');
      const job = {
        settings: { preprocessing: { grayscale: true }, augmentation: {} }, seed: '',
        imagesPerPiece: 1, sources: [{ bytes, hash: 'source', split: 'train', boxes: [] }],
        output: 'pixels',
      };
      const emit = async ({ width }) => console.log(width);
      await createRenderers(1).render(job, emit, new AbortController().signal);
      process.on('exit', () => console.log(process.report.getReport().workers.length));
    `;
    await writeFile(join(folder, 'script.mjs'), script);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'script.mjs')]);
    // It and the one that prepares decoding are still there when the process ends.
    expect(stdout).toBe('4\n2\n');
  });

  test('an idle thread ends after a while, and another takes the next job', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const renderers = open(2);
    await Promise.all([imagesOf(renderers, tiles), imagesOf(renderers, tiles)]);
    expect(threads()).toBe(2);
    await vi.advanceTimersByTimeAsync(9_000);
    await imagesOf(renderers, tiles);
    await vi.advanceTimersByTimeAsync(9_000);
    await untilThreads(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await untilThreads(0);
    expect(await imagesOf(renderers, tiles)).toHaveLength(8);
  });
});

/** A thread takes a moment to end. */
async function untilThreads(count: number): Promise<void> {
  while (threads() !== count) await new Promise((resolve) => setImmediate(resolve));
}
