// Checks that database and files belong together: an unmounted disk looks like lost files.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventQuery, EventStore, StoredEvent } from '../store/store.ts';

/** Every process checks before each removal; while there is a problem nothing is removed. */
export class MountCheck {
  readonly #store: EventStore;
  readonly #files: FileStore;
  readonly #log: Log;
  #problem: string | undefined;

  constructor(store: EventStore, files: FileStore, log: Log) {
    this.#store = store;
    this.#files = files;
    this.#log = log;
  }

  /** Result of the last check. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Checks again. Undefined: removals are safe. */
  async check(): Promise<string | undefined> {
    const problem = await findProblem(this.#store, this.#files);
    if (problem !== undefined && this.#problem === undefined) {
      this.#log.error('Nothing is removed.', { reason: problem });
    }
    this.#problem = problem;
    return problem;
  }
}

/**
 * The problem: most files of a sample of events are missing or unreadable, or there are many files
 * beside a database that never had an event. Undefined: no problem.
 */
async function findProblem(store: EventStore, files: FileStore): Promise<string | undefined> {
  const sample = await sampleFiles(store);
  const problem =
    sample.length < limits.mountCheckFilesMin ? undefined : await judgeSample(sample, files);
  if (problem !== undefined) return problem;
  const { records, removed } = await store.usage();
  const isNew = records === 0 && Object.keys(removed).length === 0;
  return isNew && (await hasMany(files))
    ? 'There are many files, and the database is new: is it the right one?'
    : undefined;
}

/** A few unreadable files prove nothing. */
async function judgeSample(
  sample: readonly string[],
  files: FileStore,
): Promise<string | undefined> {
  const found = { there: 0, gone: 0, unknown: 0 };
  for (const id of sample) found[await statusOf(files, id)] += 1;
  if (found.unknown * 2 > sample.length) {
    return `Of ${sample.length} files that were looked for, ${found.unknown} cannot be looked at: is their disk failing?`;
  }
  return found.gone > found.there
    ? `Of ${found.gone + found.there} files that were looked for, ${found.gone} are gone: is the disk of the files mounted?`
    : undefined;
}

async function sampleFiles(store: EventStore): Promise<readonly string[]> {
  const ids = new Set<string>();
  const orders: readonly EventQuery['order'][] = ['newest_first', 'oldest_first'];
  for (const order of orders) {
    const page = await store.list({ order, limit: limits.mountCheckEventsMax });
    for (const id of page.events.flatMap(fileIds)) ids.add(id);
  }
  return [...ids];
}

function fileIds({ images, videos, localOnlyFiles }: StoredEvent): string[] {
  const ofImages = images.flatMap((image) => [image.file_id, image.input_file_id]);
  const ids = [...ofImages, ...videos.map(({ id }) => id), ...localOnlyFiles.map(({ id }) => id)];
  return ids.filter((id) => id !== null);
}

async function statusOf(files: FileStore, id: string): Promise<'there' | 'gone' | 'unknown'> {
  try {
    await files.size(id);
    return 'there';
  } catch (thrown) {
    return thrown instanceof FoveaError && thrown.code === 'not_found' ? 'gone' : 'unknown';
  }
}

async function hasMany(files: FileStore): Promise<boolean> {
  let count = 0;
  for await (const _id of files.ids()) {
    count += 1;
    if (count > limits.unknownFilesMax) return true;
  }
  return false;
}
