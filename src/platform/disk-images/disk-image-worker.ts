// The thread that takes images of the disk: each is read once, to be checked, hashed and copied.

import { parentPort, workerData } from 'node:worker_threads';
import { type ReadAnnotation, readAnnotation } from '../../annotation-formats/parse-annotation.ts';
import { readRealFileNow } from '../../file-access/open-real-file.ts';
import { checkImageFile, type ImageFile } from '../../imaging/image-file.ts';
import { recogniseImage } from '../../imaging/image-format.ts';
import { isReadWithoutDecoder } from '../../imaging/image-header.ts';
import { limits } from '../../limits.ts';
import { BlobBatch } from '../../storage/blob-batch.ts';
import { HashedBytes } from '../../storage/content-hash.ts';
import type {
  DiskImage,
  FromDiskImageThread,
  Taken,
  TakenImage,
  ToDiskImageThread,
} from './disk-image-thread.ts';

const port = parentPort;
if (port === null) throw new Error('disk-image-worker runs in a thread of disk-image-thread.ts');

const batch = new BlobBatch(String(workerData));

port.on('message', (message: ToDiskImageThread) => {
  takeAll(message).then((images) => send({ kind: 'taken', images }));
});
send({ kind: 'ready' });

/** Without those whose bytes could not be written. */
async function takeAll(question: ToDiskImageThread): Promise<Taken> {
  try {
    const taken: (TakenImage | undefined)[] = [];
    for (const image of question.images) taken.push(await take(image, question));
    await batch.end();
    return taken;
  } catch {
    batch.discard();
    return question.images.map(() => undefined);
  }
}

/** One after the other: no more than one is in memory. */
async function take(
  image: DiskImage,
  question: ToDiskImageThread,
): Promise<TakenImage | undefined> {
  const read = await readImage(image.path);
  if (read === undefined) return undefined;
  const { bytes, file } = read;
  const content = new HashedBytes(bytes);
  batch.add(content, question.now);
  const labels = readLabels(image, file, question);
  return { hash: content.hash, bytes: bytes.length, file, labels };
}

async function readImage(
  path: string,
): Promise<{ readonly bytes: Uint8Array; readonly file: ImageFile } | undefined> {
  try {
    const bytes = readRealFileNow(path, limits.imageBytesMax);
    const found = recogniseImage(bytes);
    if (!('format' in found) || !isReadWithoutDecoder(found.format)) return undefined;
    return { bytes, file: await checkImageFile(bytes) };
  } catch {
    return undefined;
  }
}

function readLabels(
  { name, annotation }: DiskImage,
  { width, height }: ImageFile,
  { labelmap, projectType }: ToDiskImageThread,
): ReadAnnotation | undefined {
  if (annotation === undefined) return undefined;
  try {
    const text = annotation.text ?? readText(annotation.path ?? '');
    const image = { name, width, height };
    return readAnnotation({ text, fileName: annotation.name, image, labelmap, projectType });
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  const bytes = readRealFileNow(path, limits.diskAnnotationBytesMax);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function send(message: FromDiskImageThread): void {
  port?.postMessage(message);
}
