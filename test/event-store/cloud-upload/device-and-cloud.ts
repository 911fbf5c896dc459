// A device with events, a real cloud for it, and a line between the two that fails as told.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Uploader } from '../../../src/event-store/cloud-upload/disabled-uploader.ts';
import {
  startUploader,
  type UploaderOptions,
} from '../../../src/event-store/cloud-upload/uploader.ts';
import { newFileId } from '../../../src/event-store/ids.ts';
import { openEventStore } from '../../../src/event-store/store/sqlite-store.ts';
import type {
  EventStore,
  FileKind,
  NewEvent,
  NewFile,
  StoredEvent,
} from '../../../src/event-store/store/store.ts';
import { createLog } from '../../../src/log.ts';
import { Secret } from '../../../src/secret.ts';
import { type FileStore, openFileFolder } from '../../../src/storage/file-store.ts';
import type { TestPlatform } from '../../fixtures/platform.ts';
import { noImage } from '../store/new-events.ts';

export interface Sent {
  readonly path: string;
  readonly body: Buffer;
  /** The ids in it, of a request that records events. */
  readonly eventIds: readonly string[];
}

type Behave = (sent: Sent, n: number) => Fault | undefined;

/** What the line does with one request, given what the cloud would do with it. */
type Fault = (line: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  pass(): Promise<Passed>;
}) => void | Promise<void>;

interface Passed {
  readonly status: number;
  readonly body: Buffer;
}

export interface Line {
  readonly url: string;
  readonly sent: readonly Sent[];
  /** Requests for that path so far. */
  count(path: string): number;
  /** From now on; undefined of it: all goes well. `n` counts from 0. */
  behave(how: Behave): void;
}

export const paths = {
  image: '/vision-events/upload',
  event: '/vision-events',
  batch: '/vision-events/batch',
} as const;

export async function openLine(platform: TestPlatform): Promise<Line> {
  const sent: Sent[] = [];
  let how: Behave = () => undefined;
  let n = 0;
  const server = createServer(async (request, response) => {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const path = request.url ?? '';
    const content = await buffer(request).catch(() => Buffer.alloc(0));
    const body = { path, body: content, eventIds: eventIdsOf(path, content) };
    sent.push(body);
    const fault = how(body, n);
    n += 1;
    const pass = () => forward(platform.url, request, content);
    await (fault ?? well)({ request, response, pass });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    sent,
    count: (path) => sent.filter((each) => each.path === path).length,
    behave: (next) => {
      how = next;
      n = 0;
    },
  };
}

function eventIdsOf(path: string, body: Buffer): readonly string[] {
  if (path === paths.image || body.length === 0) return [];
  const parsed: unknown = JSON.parse(body.toString());
  const { events = [parsed] } = Object(parsed);
  return Object(events).map(({ eventId }: { eventId: string }) => eventId);
}

async function forward(url: string, request: IncomingMessage, body: Buffer): Promise<Passed> {
  const headers = new Headers();
  for (const name of ['content-type', 'authorization']) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const init = { method: request.method ?? 'POST', headers, body: Uint8Array.from(body) };
  const answer = await fetch(`${url}${request.url}`, init);
  return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
}

const jsonType = { 'content-type': 'application/json' };

const well: Fault = async ({ response, pass }) => {
  const { status, body } = await pass();
  response.writeHead(status, jsonType).end(body);
};

/** Answers by itself; the cloud sees nothing. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Fault {
  return ({ response }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? { 'content-type': 'text/html' } : jsonType;
    response.writeHead(status, { ...type, ...headers }).end(text);
  };
}

/** The connection is reset; the cloud saw nothing. */
export const lost: Fault = ({ request }) => {
  request.socket.resetAndDestroy();
};

/** The cloud did it, but the connection is reset before its answer. */
export const answerLost: Fault = async ({ request, pass }) => {
  await pass();
  request.socket.resetAndDestroy();
};

/** The cloud did it; half of its answer comes through. */
export const answerCut: Fault = async ({ request, response, pass }) => {
  const { status, body } = await pass();
  response.writeHead(status, { ...jsonType, 'content-length': String(body.length) });
  response.write(body.subarray(0, Math.floor(body.length / 2)));
  await delay(5);
  request.socket.resetAndDestroy();
};

/** Nothing comes back, ever. */
export const silence: Fault = () => undefined;

export interface Device {
  readonly store: EventStore;
  readonly files: FileStore;
  /** The solution of its events, and of nobody else's. */
  readonly useCase: string;
  readonly data: string;
  readonly logLines: readonly string[];
  add(event?: Partial<NewEvent>): Promise<string>;
  /** Keeps a file as a handler does, without its row. */
  file(kind: FileKind, content: Uint8Array, contentType?: string): Promise<NewFile>;
  /** An event of one image that shows this text. */
  addWithImage(content: string, event?: Partial<NewEvent>): Promise<string>;
  get(id: string): Promise<StoredEvent>;
  /** Stops it after the test. */
  upload(url: string, options?: Partial<UploaderOptions>): Uploader;
  /** Resolves once nothing waits. */
  drained(): Promise<void>;
}

interface Stores {
  readonly data: string;
  readonly store: EventStore;
  readonly files: FileStore;
  close(): Promise<void>;
}

async function openStores(): Promise<Stores> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-upload-'));
  const store = await openEventStore({ data, clock: systemClock });
  const files = await openFileFolder(join(data, 'files'));
  const close = async () => {
    await store.close();
    await rm(data, { recursive: true, force: true });
  };
  return { data, store, files, close };
}

let shared: Promise<Stores> | undefined;

/** Those of the tests of a file, which leave nothing waiting: opening them takes long. */
function sharedStores(): Promise<Stores> {
  shared ??= openStores();
  return shared;
}

/** To be called after all tests of a file. */
export async function closeDevices(): Promise<void> {
  await (await shared)?.close();
  shared = undefined;
}

/** `isNew`: with a folder of its own, in which nothing is. */
export async function openDevice({ isNew = false } = {}): Promise<Device> {
  const { data, store, files, close } = await (isNew ? openStores() : sharedStores());
  const logLines: string[] = [];
  const log = createLog('warn', (line) => logLines.push(line));
  const uploaders: Uploader[] = [];
  onTestFinished(async () => {
    await Promise.all(uploaders.map((uploader) => uploader.stop()));
    for (;;) {
      const left = await store.waiting(0, 1_000);
      if (left.length === 0) break;
      await store.uploaded(left.map(({ id }) => id));
    }
    if (isNew) await close();
  });
  const useCase = `line-${randomUUID()}`;
  const add = async (event: Partial<NewEvent> = {}) =>
    (await store.create({ ...plain, solution: useCase, ...event })).id;
  const file: Device['file'] = async (kind, content, contentType = 'image/jpeg') => {
    const id = newFileId(systemClock);
    const onDisk = await files.write(id, content);
    return { id, kind, label: undefined, contentType, ...onDisk };
  };
  const get = async (id: string) => {
    const event = await store.get(id);
    if (event) return event;
    throw new Error(`there is no event ${id}`);
  };
  return {
    store,
    files,
    useCase,
    data,
    logLines,
    add,
    file,
    get,
    addWithImage: async (content, event) => {
      const written = await file('image', jpegOf(content));
      return add({ images: [{ ...noImage, file_id: written.id }], files: [written], ...event });
    },
    upload: (url, options = {}) => {
      const uploader = startUploader({
        store,
        files,
        log,
        clock: systemClock,
        defaultSolutionId: undefined,
        cloud: { url, apiKey: new Secret('a-key-for-tests') },
        retryDelayMs: { min: 1, max: 20 },
        pollMs: 20,
        ...options,
      });
      uploaders.push(uploader);
      return uploader;
    },
    drained: () => until(async () => (await store.usage()).waiting === 0),
  };
}

/** Bytes that are an image as far as their start tells, and this text after it. */
export function jpegOf(content: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(content)]);
}

export const plain: NewEvent = {
  draft: false,
  solution: undefined,
  workflowId: undefined,
  workflowVersion: undefined,
  deviceId: undefined,
  streamId: undefined,
  imageId: undefined,
  inferenceTimestamp: new Date(systemClock.now()).toISOString(),
  eventSchema: 'custom',
  eventData: { value: 'seen' },
  externalId: undefined,
  relatedEventId: undefined,
  customMetadata: undefined,
  displayImagePosition: undefined,
  images: [],
  files: [],
};

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(5);
}

/** All events of a use case that the cloud has, in the order in which it got them. */
export function cloudEvents({ data }: TestPlatform, useCase: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(data, 'platform.db'), { readOnly: true });
  try {
    return database
      .prepare('SELECT content FROM vision_events WHERE use_case_id = ? ORDER BY rowid')
      .all(useCase)
      .map(({ content }) => JSON.parse(String(content)));
  } finally {
    database.close();
  }
}

/** The ids of these events. */
export function cloudIds(platform: TestPlatform, useCase: string): unknown[] {
  return cloudEvents(platform, useCase).map(({ eventId }) => eventId);
}
