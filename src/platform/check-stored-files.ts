// Reads stored files, some or all, and holds them against their hashes: which are damaged or lost,
// and what they belong to.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { limits } from '../limits.ts';
import { quotedName } from '../quoted-name.ts';
import { Semaphore } from '../semaphore.ts';
import type { AsyncReader } from '../storage/async-database.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { openBlobs } from '../storage/open-blobs.ts';
import { openRows, type RowsPlace } from './open-platform-database.ts';
import { fileColumns, readWhole, referencedFiles } from './referenced-files.ts';

export interface CheckedFiles {
  /** How many were read. */
  readonly files: number;
  readonly bytes: number;
  /** Whether there are others that were not. */
  readonly isSample: boolean;
  readonly bad: number;
  /** The first of them. */
  readonly named: readonly BadFile[];
}

export interface BadFile {
  readonly hash: string;
  readonly state: 'missing' | 'damaged';
  /** What it belongs to, in words. */
  readonly of: string;
  readonly mend: string;
}

export interface FilesToCheck {
  /** At most so many, by chance; undefined: all. */
  readonly count?: number | undefined;
  /** Only those that come after, by their hashes: how a check that was stopped goes on. */
  readonly after?: string | undefined;
}

/** Told now and then: how many were read, and the hash of the last. */
export type FilesProgress = (files: number, hash: string) => void;

/** Throws as those who open rows and files, and `unavailable` while one of them is away. */
export async function checkStoredFiles(
  place: RowsPlace,
  wanted: FilesToCheck,
  progress: FilesProgress,
  clock: Clock,
): Promise<CheckedFiles> {
  const rows = await openRows(place, clock);
  try {
    const owner = (await rows.openKey()).sign('objects', []);
    const blobs = await openBlobs({ data: place.data, objects: place.objects, owner, clock });
    return await checkFiles(rows.database, blobs, wanted, progress);
  } finally {
    await rows.reads.close();
    await rows.database.close();
  }
}

async function checkFiles(
  reader: AsyncReader,
  blobs: BlobStore,
  wanted: FilesToCheck,
  progress: FilesProgress,
): Promise<CheckedFiles> {
  const counts = { files: 0, bytes: 0 };
  const bad: Pick<BadFile, 'hash' | 'state'>[] = [];
  const permits = new Semaphore({ permitsMax: limits.moveFilesMax });
  const check = async (hash: string) => {
    const found = await readWhole(blobs, hash);
    if (typeof found === 'number') counts.bytes += found;
    // One that was removed meanwhile is none of those that rows refer to.
    else if (found === 'damaged' || (await isWanted(reader, hash)))
      bad.push({ hash, state: found });
    counts.files += 1;
  };
  let isSample = wanted.after !== undefined;
  for await (const { hashes, isLast } of chosenFiles(reader, wanted)) {
    await Promise.all(hashes.map((hash) => permits.run(() => check(hash))));
    progress(counts.files, hashes.at(-1) ?? '');
    if (!isLast) continue;
    isSample = true;
    break;
  }
  const named: BadFile[] = [];
  for (const file of bad.slice(0, limits.moveFilesNamedMax)) {
    named.push({ ...file, ...(await describeUse(reader, file.hash)) });
  }
  return { ...counts, isSample, bad: bad.length, named };
}

interface ChosenFiles {
  readonly hashes: readonly string[];
  /** So many were wanted: there are others. */
  readonly isLast: boolean;
}

/**
 * Hashes are as good as random numbers: those that follow one of no file are a sample by chance.
 */
async function* chosenFiles(
  reader: AsyncReader,
  { count = Number.POSITIVE_INFINITY, after = '' }: FilesToCheck,
): AsyncGenerator<ChosenFiles> {
  const start = Number.isFinite(count) ? randomBytes(8).toString('hex') : after;
  let left = count;
  for await (const page of filesFrom(reader, start, Number.isFinite(count))) {
    const hashes = page.slice(0, left);
    left -= hashes.length;
    yield { hashes, isLast: hashes.length < page.length };
    if (hashes.length < page.length) return;
  }
}

/** `isRound`: those before the start come at the end. */
async function* filesFrom(
  reader: AsyncReader,
  start: string,
  isRound: boolean,
): AsyncGenerator<readonly string[]> {
  yield* referencedFiles(reader, start);
  if (!isRound) return;
  for await (const page of referencedFiles(reader)) {
    const before = page.filter((hash) => hash <= start);
    yield before;
    if (before.length < page.length) return;
  }
}

async function isWanted(reader: AsyncReader, hash: string): Promise<boolean> {
  for (const { table, column } of fileColumns()) {
    const sql = `SELECT 1 AS found FROM ${table} WHERE ${column} = ? LIMIT 1`;
    if ((await reader.get(sql, [hash], (row) => row.integer('found'))) !== undefined) return true;
  }
  return false;
}

async function describeUse(
  reader: AsyncReader,
  hash: string,
): Promise<Pick<BadFile, 'of' | 'mend'>> {
  const image = await reader.get(
    `SELECT i.name, p.slug, w.slug AS workspace FROM images i
     JOIN projects p ON p.id = i.project_id JOIN workspaces w ON w.id = p.workspace_id
     WHERE i.hash = ? ORDER BY i.created LIMIT 1`,
    [hash],
    (row) => ({ name: row.text('name'), project: row.text('slug'), of: row.text('workspace') }),
  );
  if (image !== undefined) {
    return {
      of: `the image ${quotedName(image.name)} of ${image.of}/${image.project}`,
      mend: 'Upload the same file to that project again: it takes the place of what is stored.',
    };
  }
  const version = await reader.get(
    `SELECT v.number, p.slug, w.slug AS workspace FROM version_images i
     JOIN versions v ON v.id = i.version_id
     JOIN projects p ON p.id = v.project_id JOIN workspaces w ON w.id = p.workspace_id
     WHERE i.hash = ? LIMIT 1`,
    [hash],
    (row) => `${row.text('workspace')}/${row.text('slug')}/${row.integer('number')}`,
  );
  if (version !== undefined) {
    const mend = 'Generate a version with the same settings: it makes the same files.';
    return { of: `the version ${version}`, mend };
  }
  return { of: await tableOf(reader, hash), mend: 'Put it back from a backup of the files.' };
}

/** Where else it belongs to. */
async function tableOf(reader: AsyncReader, hash: string): Promise<string> {
  for (const { table, column } of fileColumns()) {
    const sql = `SELECT 1 AS found FROM ${table} WHERE ${column} = ? LIMIT 1`;
    const found = await reader.get(sql, [hash], (row) => row.integer('found'));
    if (found !== undefined) return `one of the ${table.replaceAll('_', ' ')}`;
  }
  return 'nothing any more';
}
