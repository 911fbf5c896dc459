// Uploads of large files (zip, video) by signed links, streamed to the disk.

import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { type BodyWatch, watchBody } from '../../http-server/body-limits.ts';
import type { Route } from '../../http-server/handlers.ts';
import { sendAnswer } from '../../http-server/responses.ts';
import { limits } from '../../limits.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { openFileFolder } from '../../storage/file-store.ts';
import type { NewTask } from '../../storage/task-queue.ts';
import { timeOfUuidv7, uuidv7 } from '../../uuid.ts';
import { counted, createDiskReservations, type DiskReservations } from '../disk-reservations.ts';
import type { Upload, UploadKind, UploadStore } from '../store/upload-links.ts';
import {
  amongBlobs,
  inDataFolder,
  type ReceivedFile,
  type ReceivedFiles,
} from './received-files.ts';
import type { SigningKey } from './signing-key.ts';

export interface NewUpload {
  readonly workspaceId: string;
  readonly kind: UploadKind;
  readonly name: string;
  /** Held until the file is there. Its payload has the id of the upload as `uploadId`. */
  readonly taskOf?: (uploadId: string) => NewTask;
}

export interface StartedUpload {
  readonly id: string;
  /** For one PUT of the bytes. */
  readonly link: string;
  readonly expires: number;
}

export interface Uploads {
  /** Throws `rate_limited` where too many links of the workspace wait for their files. */
  start(origin: string, upload: NewUpload): Promise<StartedUpload>;
  /**
   * The upload of a link, also after the link has expired; `gone`: the link is valid, and its
   * upload was removed. Undefined: not a link of this platform.
   */
  ofLink(link: string): Promise<Upload | 'gone' | undefined>;
  /** Those in the data folder. */
  readonly files: FileStore;
  readonly received: ReceivedFiles;
  /** For all large files that this process writes to the data folder. */
  readonly diskReservations: DiskReservations;
  readonly route: Route;
  /**
   * Fails tasks whose file was never sent, and removes files that are a day old or were left by
   * dead processes. For the hourly purge.
   */
  purge(): Promise<void>;
}

export interface UploadsOptions {
  /** The folder of the platform's data. */
  readonly data: string;
  readonly store: UploadStore;
  readonly key: SigningKey;
  readonly clock: Clock;
  /** Keeps the files, where other processes have data folders of their own. */
  readonly sharedBlobs?: BlobStore | undefined;
  /** Called when an upload is complete, and its task may run. */
  readonly onReceived: () => void;
  /** The largest file of each kind; those of `limits` unless given. */
  readonly bytesMax?: Readonly<Record<UploadKind, number>>;
  /** The slowest accepted upload; that of `limits` unless given. */
  readonly rate?: Rate;
  /** Free bytes of the disk; those of the data folder unless given. */
  readonly freeBytes?: () => Promise<number>;
}

interface Rate {
  readonly bytesMin: number;
  readonly stepMs: number;
}

const bytesMaxOf = { zip: limits.zipBytesMax, video: limits.videoBytesMax };
const uploadKinds: readonly UploadKind[] = ['zip', 'video'];
const usualRate: Rate = {
  bytesMin: limits.uploadBytesPerMinuteMin,
  stepMs: limits.uploadRateStepMs,
};

/** Uploads to the folder `uploads` of the data folder. */
export async function openUploads(options: UploadsOptions): Promise<Uploads> {
  const { data, store, clock } = options;
  const files = await openFileFolder(join(data, 'uploads'));
  const signer = createSigner(options);
  const diskReservations = createDiskReservations(options.freeBytes ?? (() => files.freeBytes()));
  const { sharedBlobs } = options;
  const received = sharedBlobs
    ? amongBlobs(sharedBlobs, diskReservations)
    : inDataFolder(files, clock);
  const receiver: Receiver = { ...options, received, diskReservations, running: new Map() };
  return {
    files,
    received,
    diskReservations,
    start: async (origin, { workspaceId, kind, name, taskOf }) => {
      const created = clock.now();
      const waiting = await store.countWaiting(workspaceId, created);
      if (waiting >= limits.uploadsWaitingMax) throw tooManyWaiting();
      const id = uuidv7(created);
      const expires = created + limits.uploadLinkMs;
      const task = taskOf?.(id);
      await store.add({ id, workspaceId, kind, taskId: task?.id, name, expires, created }, task);
      return {
        id,
        expires,
        link: `${origin}/uploads/${id}?${signer.query({ id, kind }, expires)}`,
      };
    },
    ofLink: async (link) => {
      const url = URL.parse(link);
      const id = /^\/uploads\/([0-9a-f-]+)$/.exec(url?.pathname ?? '')?.[1];
      if (url === null || id === undefined) return undefined;
      const upload = await store.find(id);
      const kinds = upload === undefined ? uploadKinds : [upload.kind];
      const isOurs = kinds.some((kind) => signer.isSigned({ id, kind }, url.searchParams));
      return isOurs ? (upload ?? 'gone') : undefined;
    },
    route: {
      method: 'PUT',
      path: '/uploads/{id}',
      open: true,
      handle: async (request, response, { id = '' }) => {
        const { searchParams } = new URL(request.url ?? '', 'http://localhost');
        const upload = await store.find(id);
        // Without a valid link, do not reveal whether the upload exists.
        if (upload === undefined || !signer.isOpen(upload, searchParams)) throw notSigned();
        const bytes = await receiveUpload(receiver, upload, request);
        options.onReceived();
        sendAnswer(response, 200, { success: true, bytes });
      },
    },
    purge: () => purge(options, files),
  };
}

type Signed = Pick<Upload, 'id' | 'kind'>;

/** Seconds from the making of a link to its end, under the name that clients read them by. */
const lifetimeParameter = 'X-Goog-Expires';

function createSigner({ key, clock, bytesMax = bytesMaxOf }: UploadsOptions) {
  /** Links of earlier releases have no lifetime. */
  const values = ({ id, kind }: Signed, query: URLSearchParams) => [
    id,
    query.get('expires') ?? '',
    bytesMax[kind],
    ...query.getAll(lifetimeParameter),
  ];
  const isSigned = (upload: Signed, query: URLSearchParams) =>
    key.isSigned('upload', values(upload, query), query.get('signature') ?? '');
  return {
    query: (upload: Signed, expires: number) => {
      const query = new URLSearchParams({
        expires: String(expires),
        [lifetimeParameter]: String(limits.uploadLinkMs / 1000),
      });
      query.set('signature', key.sign('upload', values(upload, query)));
      return query;
    },
    isSigned,
    /** Whether the link still accepts a file. */
    isOpen: (upload: Signed, query: URLSearchParams) =>
      isSigned(upload, query) && Number(query.get('expires')) > clock.now(),
  };
}

function notSigned(): FoveaError {
  return new FoveaError('forbidden', 'This upload link is not valid, or not any more.', {
    hint: 'Start the upload anew: a link is good for an hour.',
  });
}

function tooManyWaiting(): FoveaError {
  const message = `${limits.uploadsWaitingMax} uploads of this workspace wait for their files.`;
  return new FoveaError('rate_limited', message, {
    hint: 'Send their files, or wait: a link ends after an hour.',
    retryAfterSeconds: waitSeconds,
  });
}

const waitSeconds = 60;

interface Receiver extends UploadsOptions {
  readonly received: ReceivedFiles;
  readonly diskReservations: DiskReservations;
  /** Uploads in progress, by their id. */
  readonly running: Map<string, Running>;
}

interface Running {
  readonly workspaceId: string;
  readonly request: IncomingMessage;
  /** Resolves when the request has ended and its file is stored or removed. */
  readonly ended: Promise<void>;
}

/** Stores the body of a request; gives its length in bytes. */
async function receiveUpload(
  receiver: Receiver,
  upload: Upload,
  request: IncomingMessage,
): Promise<number> {
  const { id, workspaceId, file } = upload;
  const { running } = receiver;
  if (file !== undefined) throw takenBefore();
  const before = running.get(id);
  // A client whose connection broke sends again before the first attempt is cleared away.
  if (before && isCutOff(before.request)) await before.ended;
  if (running.has(id)) {
    throw new FoveaError('conflict', 'A file is coming in by this link already.', {
      hint: 'Wait for its end, or start another upload for another file.',
    });
  }
  const others = [...running.values()].filter((other) => other.workspaceId === workspaceId);
  if (others.length >= limits.uploadsRunningMax) throw tooManyRunning();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  running.set(id, { workspaceId, request, ended });
  try {
    return await receiveAlone(receiver, upload, request);
  } finally {
    running.delete(id);
    resolve();
  }
}

function isCutOff({ destroyed, complete }: IncomingMessage): boolean {
  return destroyed && !complete;
}

function tooManyRunning(): FoveaError {
  const message = `${limits.uploadsRunningMax} files are coming in for this workspace already.`;
  return new FoveaError('rate_limited', message, {
    hint: 'Send this one when one of them has come.',
    retryAfterSeconds: waitSeconds,
  });
}

async function receiveAlone(
  receiver: Receiver,
  { id, kind }: Upload,
  request: IncomingMessage,
): Promise<number> {
  const { store, clock, received, bytesMax = bytesMaxOf } = receiver;
  const since = clock.now();
  await store.setReceiving(id, since);
  const { file, bytes } = await writeBody(receiver, request, bytesMax[kind]).catch(
    async (thrown) => {
      await store.endReceiving(id, since);
      throw thrown;
    },
  );
  const outcome = bytes === 0 ? 'empty' : await store.received(id, file, bytes);
  if (outcome === 'taken') return bytes;
  await received.remove([file]);
  if (outcome === 'empty') throw new FoveaError('bad_request', 'The body is empty.');
  if (outcome === 'taken_before') throw takenBefore();
  throw new FoveaError('conflict', 'Nothing waits for this file any more.', {
    hint: 'Start the upload anew.',
  });
}

function takenBefore(): FoveaError {
  return new FoveaError('conflict', 'The file of this link was uploaded already.', {
    hint: 'Start another upload for another file.',
  });
}

async function writeBody(
  { received, diskReservations, rate = usualRate }: Receiver,
  request: IncomingMessage,
  bytesMax: number,
): Promise<ReceivedFile> {
  const stated = request.headers['content-length'];
  const reservation = await diskReservations.reserve(
    stated === undefined ? undefined : Number(stated),
  );
  // Destroying the request itself would take the error answer from its sender.
  const body = new PassThrough().on('error', () => {});
  let stopped: FoveaError | undefined;
  const stop = (reason: FoveaError) => {
    stopped ??= reason;
    body.destroy(reason);
  };
  const isBusy = () => body.writableNeedDrain;
  const pace = watchPace(rate, isBusy, () => stop(tooSlow()));
  let watch: BodyWatch | undefined;
  try {
    watch = watchBody(request, stop, { bytesMax, isBusy });
    const content = counted(request.pipe(body), (bytes) => {
      pace.came(bytes);
      return reservation.wrote(bytes);
    });
    return await received.write(content);
  } catch (thrown) {
    throw stopped ?? thrown;
  } finally {
    pace.end();
    reservation.release();
    watch?.discard();
  }
}

/** A client that trickles bytes never times out, and would occupy a place for a day. */
function watchPace({ bytesMin, stepMs }: Rate, isBusy: () => boolean, whenSlow: () => void) {
  let bytes = 0;
  const timer = setInterval(() => {
    if (bytes < bytesMin && !isBusy()) whenSlow();
    bytes = 0;
  }, stepMs);
  return {
    came: (count: number) => {
      bytes += count;
    },
    end: () => clearInterval(timer),
  };
}

function tooSlow(): FoveaError {
  return new FoveaError('bad_request', 'The file comes in too slowly.', {
    hint: 'Send it over a faster line, or a smaller one.',
  });
}

async function purge({ store, clock }: UploadsOptions, files: FileStore): Promise<void> {
  const now = clock.now();
  const receivingBefore = now - limits.uploadMsMax;
  await files.remove(await store.purge(now, now - limits.uploadStrayMs, receivingBefore));
  // A file gets its id when it begins to come, and its row when it is whole.
  const strayBefore = now - limits.orphanAgeMsMin;
  for await (const file of files.ids()) {
    if (timeOfUuidv7(file) < strayBefore && !(await store.hasFile(file)))
      await files.remove([file]);
  }
  await files.clearUnfinished(strayBefore);
}
