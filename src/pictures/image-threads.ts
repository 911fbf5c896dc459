// Images read and drawn in threads, within one budget of memory for the whole process: small ones
// share a thread, a large one has a thread of its own, which ends with it and gives its memory
// back. The functions do what those of their names in image-file.ts do.

import { limits } from '../limits.ts';
import type { Size } from './bmp.ts';
import type { EncodedPicture } from './encode.ts';
import { checkLength, type ImageFile, type RawImage } from './image-file.ts';
import type { JobInput, JobName, JobResult } from './image-jobs.ts';
import { type ImageThread, startImageThread } from './image-thread.ts';
import { createTurns } from './turns.ts';

export function readImageHeader(bytes: Uint8Array): Promise<ImageFile> {
  return ofFile('readImageHeader', bytes, {});
}

export function readPicture(bytes: Uint8Array): Promise<JobResult<'readPicture'>> {
  return ofFile('readPicture', bytes, {});
}

export function decodeSmall(
  bytes: Uint8Array,
  side: number,
  enlargementMax: number,
): Promise<JobResult<'decodeSmall'>> {
  return ofFile('decodeSmall', bytes, { side, enlargementMax });
}

export function fitImage(bytes: Uint8Array, size: Size): Promise<RawImage> {
  return ofFile('fitImage', bytes, { size });
}

export function reencode(bytes: Uint8Array, scale: number, quality: number): Promise<Uint8Array> {
  return ofFile('reencode', bytes, { scale, quality });
}

export function encodePicture(pixels: RawImage, bytesMax?: number): Promise<EncodedPicture> {
  return ofPixels('encodePicture', pixels, { bytesMax });
}

/** Raw pixels in another size. */
export function scalePixels(pixels: RawImage, size: Size): Promise<RawImage> {
  return ofPixels('scalePixels', pixels, { size });
}

/** Grey with 8 bits, one byte a pixel, as a PNG without a palette. */
export function encodeMask(pixels: RawImage): Promise<Uint8Array> {
  return ofPixels('encodeMask', pixels, {});
}

/** Must be awaited before a thread of somebody else reads an image: says which decoders may run. */
export async function prepareDecoding(): Promise<void> {
  await sharedThread().ready;
}

const inSharedTurn = createTurns(limits.decodeSharedAtOnceMax);
const inOwnTurn = createTurns(limits.decodeAloneAtOnceMax);

type FileJob = 'readImageHeader' | 'readPicture' | 'decodeSmall' | 'fitImage' | 'reencode';

async function ofFile<Name extends FileJob>(
  name: Name,
  bytes: Uint8Array,
  others: Omit<JobInput<Name>, 'bytes'>,
): Promise<JobResult<Name>> {
  checkLength(bytes);
  const outcome = await inSharedTurn(1, () => {
    const copy = new Uint8Array(bytes);
    return inShared(name, { ...others, bytes: copy } as JobInput<Name>, [copy.buffer]);
  });
  if ('result' in outcome) return outcome.result as JobResult<Name>;
  const { bytes: back } = outcome.tooMuch;
  return alone(name, { ...others, bytes: back } as JobInput<Name>, [back.buffer]);
}

type PixelJob = Exclude<JobName, FileJob>;

async function ofPixels<Name extends PixelJob>(
  name: Name,
  { data, width, height }: RawImage,
  others: Omit<JobInput<Name>, 'pixels'>,
): Promise<JobResult<Name>> {
  const copy = new Uint8Array(data);
  const input = { ...others, pixels: { data: copy, width, height } } as JobInput<Name>;
  if (copy.length > limits.decodeSharedBytesMax) return alone(name, input, [copy.buffer]);
  const outcome = await inSharedTurn(1, () => inShared(name, input, [copy.buffer]));
  return ('result' in outcome ? outcome.result : undefined) as JobResult<Name>;
}

async function alone<Name extends JobName>(
  name: Name,
  input: JobInput<Name>,
  buffers: readonly ArrayBuffer[],
): Promise<JobResult<Name>> {
  return inOwnTurn(1, async () => {
    // The first thread has said which decoders may run.
    await prepareDecoding();
    const thread = startImageThread({ allowsDecoders: false, isAlone: true });
    try {
      const outcome = await thread.run(name, input, buffers);
      return ('result' in outcome ? outcome.result : undefined) as JobResult<Name>;
    } finally {
      await thread.end();
    }
  });
}

let shared: ImageThread | undefined;
let idle: NodeJS.Timeout | undefined;
let jobs = 0;
let hasDecoders = false;

function sharedThread(): ImageThread {
  if (shared?.isUsable) return shared;
  const started = startImageThread({ allowsDecoders: !hasDecoders, isAlone: false });
  shared = started;
  void started.ready.then(() => {
    hasDecoders = true;
  });
  restWhenIdle();
  return started;
}

async function inShared<Name extends JobName>(
  name: Name,
  input: JobInput<Name>,
  buffers: readonly ArrayBuffer[],
) {
  jobs += 1;
  clearTimeout(idle);
  try {
    return await sharedThread().run(name, input, buffers);
  } finally {
    jobs -= 1;
    restWhenIdle();
  }
}

function restWhenIdle(): void {
  clearTimeout(idle);
  if (jobs > 0) return;
  idle = setTimeout(() => {
    void shared?.end();
    shared = undefined;
  }, limits.imageThreadIdleMsMax).unref();
}
