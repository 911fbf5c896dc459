// The thread that writes the zip file of an export. It reads the files of images by itself: their
// bytes pass through no other thread.

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { readBlobFile } from '../storage/blob-file.ts';
import type { StoredBlob } from '../storage/blob-store.ts';
import { ContentMeter } from '../storage/content-hash.ts';
import { diskError } from '../storage/disk-errors.ts';
import { writeSynced } from '../storage/write-synced-file.ts';
import type { ZipAnswer, ZipPart } from './zip-parts.ts';
import { unreadableEntry, type ZipEntry, zipStream } from './zip-stream.ts';

const port = parentPort;

if (port === null || typeof workerData !== 'string') {
  throw new Error('zip-worker runs in a thread of zip-thread.ts');
}

/** Between the messages and the file: it holds a few parts. */
const parts = new PassThrough({ objectMode: true });
const written = write(workerData);
// Its failure is the answer to the next message.
written.catch(() => {});

port.on('message', async (some: readonly ZipPart[]) => port.postMessage(await take(some)));

async function take(some: readonly ZipPart[]): Promise<ZipAnswer> {
  try {
    for (const part of some) {
      if (part.kind === 'end') {
        parts.end();
        return { kind: 'written', ...(await written) };
      }
      if (!parts.write(part)) await Promise.race([once(parts, 'drain'), written]);
    }
    return { kind: 'taken' };
  } catch (thrown) {
    const { code, message } = diskError(thrown);
    return { kind: 'failed', code, message };
  }
}

async function write(path: string): Promise<StoredBlob> {
  const meter = new ContentMeter();
  await writeSynced(path, meter.through(zipStream(entries())));
  return meter.measured();
}

async function* entries(): AsyncGenerator<ZipEntry> {
  const given: AsyncIterator<ZipPart> = parts[Symbol.asyncIterator]();
  let next = await given.next();
  const content = async function* (path: string): AsyncGenerator<Uint8Array> {
    for (;;) {
      next = await given.next();
      if (next.done || next.value.kind === 'entry') return;
      if (next.value.kind === 'piece') yield next.value.bytes;
      if (next.value.kind === 'file') yield* contentOf(path, next.value);
    }
  };
  while (!next.done && next.value.kind === 'entry') {
    const { path, isDeflated } = next.value;
    yield { path, isDeflated, content: () => content(path) };
  }
}

async function* contentOf(
  path: string,
  { file }: Extract<ZipPart, { readonly kind: 'file' }>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readBlobFile(file);
  } catch (cause) {
    throw unreadableEntry(path, cause);
  }
}
