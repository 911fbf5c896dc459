// What the tests of retention work with: a real store and file folder, and a clock that can be set.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
import { newFileId } from '../../../src/event-store/ids.ts';
import { type Retention, startRetention } from '../../../src/event-store/retention/retention.ts';
import {
  createUploadsInProgress,
  type UploadsInProgress,
} from '../../../src/event-store/retention/uploads-in-progress.ts';
import { openEventStore } from '../../../src/event-store/store/sqlite-store.ts';
import type { EventStore, NewFile } from '../../../src/event-store/store/store.ts';
import { createLog } from '../../../src/log.ts';
import { type FileStore, openFileFolder } from '../../../src/storage/file-store.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { plainEvent } from './plain-event.ts';
import { testSettings } from './test-settings.ts';

export const secondMs = 1_000;
export const hourMs = 60 * 60 * secondMs;
export const dayMs = 24 * hourMs;

/** For polls: a busy machine takes its time. */
export const patiently = { timeout: 20_000, interval: 25 };

export interface TestClock extends Clock {
  /** Time passes. */
  advance(milliseconds: number): void;
  /** Somebody sets the wall clock. */
  jump(milliseconds: number): void;
}

/** A clock that stands still. */
export function testClock(now = Date.UTC(2026, 10, 20)): TestClock {
  let wall = now;
  let monotonic = 0;
  return {
    now: () => wall,
    monotonic: () => monotonic,
    advance: (milliseconds) => {
      wall += milliseconds;
      monotonic += milliseconds;
    },
    jump: (milliseconds) => {
      wall += milliseconds;
    },
  };
}

export interface TestStore {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly retention: Retention;
  readonly uploadsInProgress: UploadsInProgress;
  readonly clock: TestClock;
  readonly data: string;
  readonly logLines: readonly string[];
  /** As the handlers do it: admitted, then its images, then the event. Gives its id. */
  create(event?: { draft?: boolean; images?: readonly Uint8Array[] }): Promise<string>;
  attach(eventId: string, content: Uint8Array): Promise<void>;
  /** Ids of what is there, oldest first. */
  ids(): Promise<readonly string[]>;
  /** Reasons of all deletions, oldest first. */
  reasons(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface TestStoreOptions {
  /** As in the environment of the service. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly clock?: TestClock;
  /** Left out: a new folder. */
  readonly data?: string;
}

/** Nothing happens by itself for a long time; cloud upload leads nowhere. */
const quiet = { DRAFT_SWEEP_SECONDS: '86400', CLEANUP_SECONDS: '86400', RESERVE_BYTES: '0' };
export const cloudOn = { CLOUD_UPLOAD_ENABLED: 'true', CLOUD_UPLOAD_URL: 'http://127.0.0.1:9' };

export async function openTestStore(options: TestStoreOptions = {}): Promise<TestStore> {
  const { clock = testClock(), data = await temporaryFolder() } = options;
  const logLines: string[] = [];
  const log = createLog('info', (line) => logLines.push(line));
  const settings = testSettings({ ...quiet, ...options.settings });
  const store = await openEventStore({ data, clock });
  const files = await openFileFolder(join(data, 'files'));
  const uploadsInProgress = createUploadsInProgress();
  const retention = await startRetention({
    store,
    files,
    settings,
    uploadsInProgress,
    clock,
    log,
    data,
  });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await retention.stop();
    await store.close();
  };
  onTestFinished(close);
  return {
    store,
    files,
    retention,
    uploadsInProgress,
    clock,
    data,
    logLines,
    close,
    create: async ({ draft = false, images = [] } = {}) => {
      const bytes = images.reduce((sum, image) => sum + image.byteLength, 0);
      await retention.admission.admit({ bytes });
      const written = await Promise.all(images.map((image) => write(files, clock, image, 'image')));
      const { id } = await store.create({ ...plainEvent(written), draft });
      return id;
    },
    attach: async (eventId, content) => {
      const upload = await retention.admission.admitUpload(content.byteLength);
      try {
        const file = await write(files, clock, content, 'video');
        await upload.written(file.bytes);
        await store.attach(eventId, file);
      } finally {
        upload.end();
      }
    },
    ids: async () => {
      const page = await store.list({ limit: 1_000, order: 'oldest_first' });
      return page.events.map(({ id }) => id);
    },
    reasons: async () => {
      const { lines } = await store.ledger({ limit: 1_000 });
      return lines.map(({ reason }) => reason).reverse();
    },
  };
}

async function write(
  files: FileStore,
  clock: Clock,
  content: Uint8Array,
  kind: NewFile['kind'],
): Promise<NewFile> {
  const id = newFileId(clock);
  const written = await files.write(id, content);
  return { id, kind, label: undefined, contentType: 'application/octet-stream', ...written };
}

export async function listed(files: FileStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const id of files.ids()) ids.push(id);
  return ids;
}

/** What it throws. */
export async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}
