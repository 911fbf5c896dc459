// The thread that writes the zip file of an export. It reads the files of images by itself: their
// bytes pass through no other thread.

import { parentPort, workerData } from 'node:worker_threads';
import { limits } from '../limits.ts';
import { readBlobFile } from '../storage/blob-file.ts';
import { diskError } from '../storage/disk-errors.ts';
import { HashedOutputFile } from '../storage/hashed-output-file.ts';
import { unreadableEntry } from './unreadable-entry.ts';
import { ZipFile } from './zip-file.ts';
import type { ZipAnswer, ZipEntryPart, ZipPart } from './zip-parts.ts';

const port = parentPort;

if (port === null || typeof workerData !== 'string') {
  throw new Error('zip-worker runs in a thread of zip-thread.ts');
}

const opening = open(workerData);
// Its failure is the answer to the first message.
opening.catch(() => {});

let last: Promise<ZipAnswer> = Promise.resolve({ kind: 'taken' });

// The next message may be there before the last one is taken. After a failure nothing is.
port.on('message', async (parts: readonly ZipPart[]) => {
  last = last.then((answer) => (answer.kind === 'failed' ? answer : take(parts)));
  port.postMessage(await last);
});

async function open(path: string) {
  const output = await HashedOutputFile.create(path);
  return { output, zip: new ZipFile(output.write) };
}

async function take(parts: readonly ZipPart[]): Promise<ZipAnswer> {
  try {
    const { output, zip } = await opening;
    for (const part of parts) {
      if (part.kind === 'end') {
        zip.end();
        return { kind: 'written', ...(await output.end()) };
      }
      if (part.kind === 'entry') addEntry(zip, part);
      if (part.kind === 'piece') zip.add(part.bytes);
      await output.keepUp();
    }
    return { kind: 'taken' };
  } catch (thrown) {
    const { code, message } = diskError(thrown);
    return { kind: 'failed', code, message };
  }
}

function addEntry(zip: ZipFile, { path, isDeflated, file }: ZipEntryPart): void {
  zip.begin(path, isDeflated);
  if (file === undefined) return;
  const pieces = readBlobFile(file, buffer);
  for (;;) {
    const piece = nextOf(pieces, path);
    if (piece === undefined) return;
    zip.add(piece);
  }
}

const buffer = new Uint8Array(limits.fileReadBytes);

/** Errors of what is read are told apart from those of the disk that is written to. */
function nextOf(pieces: Generator<Uint8Array>, path: string): Uint8Array | undefined {
  try {
    const { done, value } = pieces.next();
    return done ? undefined : value;
  } catch (cause) {
    throw unreadableEntry(path, cause);
  }
}
