// Decodes and encodes images in worker threads, within one memory budget of the process: small ones
// share a thread, a large one has its own thread, which ends with it and frees its memory. What
// takes no decoder and no time is read in the calling thread. The functions do what those of the
// same names in image-file.ts and encode-image.ts do.

import { currentCaller } from '../current-caller.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { Semaphore } from '../semaphore.ts';
import type { Size } from './bmp.ts';
import type { EncodedImage } from './encode-image.ts';
import {
  checkImageFile as checkHere,
  checkLength,
  type ImageFile,
  readImageHeader as readHeaderHere,
  type ScalingKernel,
} from './image-file.ts';
import { recogniseImage } from './image-format.ts';
import { isReadWithoutDecoder } from './image-header.ts';
import type { FileRequest, ImageRequest, ImageResponse, PixelRequest } from './image-requests.ts';
import { type ImageThread, startImageThread } from './image-thread.ts';
import type { RawImage } from './raw-image.ts';
import type { Descriptor } from './similarity-descriptor.ts';

export async function readImageHeader(bytes: Uint8Array): Promise<ImageFile> {
  if (isReadHere(bytes)) return readHeaderHere(bytes);
  const kind = 'readImageHeader';
  return answerOf(kind, await ofFile(bytes, (own) => ({ kind, bytes: own }))).file;
}

export async function checkImageFile(bytes: Uint8Array): Promise<ImageFile> {
  if (isReadHere(bytes)) return checkHere(bytes);
  const kind = 'checkImageFile';
  return answerOf(kind, await ofFile(bytes, (own) => ({ kind, bytes: own }))).file;
}

/** What is no image is refused as soon. */
function isReadHere(bytes: Uint8Array): boolean {
  const found = recogniseImage(bytes);
  const takesDecoder = 'format' in found && !isReadWithoutDecoder(found.format);
  return !takesDecoder && bytes.length <= limits.imageReadHereBytesMax;
}

export async function readDescribedImage(
  bytes: Uint8Array,
): Promise<{ readonly file: ImageFile; readonly descriptor: Descriptor | undefined }> {
  const kind = 'readDescribedImage';
  return answerOf(kind, await ofFile(bytes, (own) => ({ kind, bytes: own })));
}

export async function decodeSmall(
  bytes: Uint8Array,
  side: number,
  enlargementMax: number,
): Promise<{ readonly file: ImageFile; readonly image: RawImage }> {
  const kind = 'decodeSmall';
  const job = { kind, side, enlargementMax } as const;
  return answerOf(kind, await ofFile(bytes, (own) => ({ ...job, bytes: own })));
}

export async function fitImage(
  bytes: Uint8Array,
  size: Size,
  kernel?: ScalingKernel,
): Promise<RawImage> {
  const kind = 'fitImage';
  const job = { kind, size, kernel } as const;
  return answerOf(kind, await ofFile(bytes, (own) => ({ ...job, bytes: own }))).image;
}

export async function reencode(
  bytes: Uint8Array,
  scale: number,
  quality: number,
): Promise<Uint8Array> {
  const kind = 'reencode';
  return answerOf(kind, await ofFile(bytes, (own) => ({ kind, scale, quality, bytes: own }))).bytes;
}

export async function encodeImage(image: RawImage, bytesMax?: number): Promise<EncodedImage> {
  const kind = 'encodeImage';
  const answer = await ofPixels(image, (pixels) => ({ kind, bytesMax, pixels }));
  return answerOf(kind, answer).encoded;
}

/** Raw pixels in another size. */
export async function scalePixels(image: RawImage, size: Size): Promise<RawImage> {
  const kind = 'scalePixels';
  return answerOf(kind, await ofPixels(image, (pixels) => ({ kind, size, pixels }))).image;
}

/** Grey with 8 bits, one byte a pixel, as a PNG without a palette. */
export async function encodeMask(mask: RawImage): Promise<Uint8Array> {
  const kind = 'encodeMask';
  return answerOf(kind, await ofPixels(mask, (pixels) => ({ kind, pixels }))).bytes;
}

/** One byte a pixel, of a PNG of 8-bit grey. */
export async function decodeMask(bytes: Uint8Array): Promise<RawImage> {
  const kind = 'decodeMask';
  return answerOf(kind, await ofFile(bytes, (own) => ({ kind, bytes: own }))).image;
}

/** Must be awaited before other threads read images: sets which decoders may run. */
export async function prepareDecoding(): Promise<void> {
  // In WebAssembly, each thread says so itself.
  if (isNative !== false) await sharedThread().ready;
}

const sharedJobs = new Semaphore({
  permitsMax: limits.decodeSharedAtOnceMax,
  callerPermitsMax: limits.decodeSharedOfCallerMax,
  groupPermitsMax: limits.decodeSharedOfCallerMax,
});
const jobsAlone = new Semaphore({ permitsMax: limits.decodeAloneAtOnceMax });

/** Bytes are copied when their turn has come: they move to a thread, and callers keep theirs. */
async function ofFile(
  bytes: Uint8Array,
  makeJob: (own: Uint8Array<ArrayBuffer>) => FileRequest,
): Promise<ImageResponse> {
  checkLength(bytes);
  const copied = () => makeJob(new Uint8Array(bytes));
  const outcome = await inTurn(sharedJobs, () => inShared(copied()));
  if (outcome === 'interrupted') return alone(copied);
  return 'answer' in outcome ? outcome.answer : alone(() => makeJob(outcome.tooMuch));
}

async function ofPixels(
  { data, width, height }: RawImage,
  makeJob: (pixels: PixelRequest['pixels']) => PixelRequest,
): Promise<ImageResponse> {
  const copied = () => makeJob({ data: new Uint8Array(data), width, height });
  if (data.length > limits.decodeSharedBytesMax) return alone(copied);
  const outcome = await inTurn(sharedJobs, () => inShared(copied()));
  return outcome !== 'interrupted' && 'answer' in outcome ? outcome.answer : alone(copied);
}

/** Callers take turns. */
function inTurn<Value>(jobs: Semaphore, work: () => Promise<Value>): Promise<Value> {
  const caller = currentCaller();
  return jobs.run(work, caller && { caller });
}

async function alone(makeJob: () => ImageRequest): Promise<ImageResponse> {
  const work = async () => {
    // The first thread says which decoders may run, and what it holds else is wanted here.
    await prepareDecoding();
    await endIfIdle();
    const thread = startImageThread({ allowsDecoders: false, isAlone: true });
    try {
      const outcome = await thread.run(makeJob());
      return outcome !== 'interrupted' && 'answer' in outcome ? outcome.answer : noAnswer();
    } finally {
      await thread.end();
    }
  };
  return inTurn(jobsAlone, work);
}

type Answer<Kind> = ImageResponse & { readonly kind: Kind };

function answerOf<Kind extends ImageResponse['kind']>(
  kind: Kind,
  answer: ImageResponse,
): Answer<Kind> {
  return isAnswer(kind, answer) ? answer : noAnswer();
}

function isAnswer<Kind>(kind: Kind, answer: ImageResponse): answer is Answer<Kind> {
  return answer.kind === kind;
}

function noAnswer(): never {
  throw new FoveaError('internal', 'A thread that reads images gave another answer.');
}

let shared: ImageThread | undefined;
let idle: NodeJS.Timeout | undefined;
let jobs = 0;
/** Undefined: not known yet. */
let isNative: boolean | undefined;

function sharedThread(): ImageThread {
  if (shared?.isUsable) return shared;
  const started = startImageThread({ allowsDecoders: true, isAlone: false });
  shared = started;
  started.ready.then(
    (found) => {
      isNative = found;
      endWhenIdle();
    },
    () => {},
  );
  return started;
}

async function inShared(job: ImageRequest) {
  jobs += 1;
  clearTimeout(idle);
  try {
    return await sharedThread().run(job);
  } finally {
    jobs -= 1;
    endWhenIdle();
  }
}

/** The native one gives memory back by itself, and keeps the list of decoders by staying. */
function endWhenIdle(): void {
  clearTimeout(idle);
  if (jobs > 0 || isNative) return;
  idle = setTimeout(endIfIdle, limits.imageThreadIdleMsMax).unref();
}

async function endIfIdle(): Promise<void> {
  if (jobs > 0 || isNative) return;
  const ending = shared;
  shared = undefined;
  await ending?.end();
}
