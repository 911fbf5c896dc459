// Frozen versions, their images and exports, as rows.

import { check } from '../../contract/check.ts';
import type { SplitName } from '../../contract/fields.ts';
import { versionSettings } from '../../contract/version-settings.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import { readAwaitedService } from '../../storage/service-away.ts';
import { readErrorCode, type TaskQueue } from '../../storage/task-queue.ts';
import { readInSlices, slicesOf } from '../../storage/time-sliced-query.ts';
import { newId } from '../ids-and-slugs.ts';
import type {
  ChosenSources,
  Export,
  ExportStore,
  Version,
  VersionImage,
  VersionOutline,
  VersionSource,
  VersionState,
  VersionStore,
} from '../store/versions.ts';
import { cancelVersions } from './cancel-and-resume-versions.ts';
import {
  readAnnotation,
  readFormat,
  readSplit,
  readSplits,
  readTexts,
  splitCountsOf,
} from './column-readers.ts';
import { addVersion, isFreezing, listCandidates } from './freeze-version.ts';
import type { LongReads } from './long-reads/long-reads.ts';
import { cancelTrainingsOf } from './trainings.ts';
import { findPart, keepParts, removeParts } from './version-parts.ts';

const withWork = `SELECT versions.*, work.status AS work_status, work.error AS work_error,
  work.current AS work_current, work.total AS work_total, work.waits_for AS work_waits_for
  FROM versions JOIN work ON work.id = versions.task_id`;

const live = 'versions.deleted_at IS NULL';

export function versionStore(
  database: AsyncDatabase,
  queue: TaskQueue,
  reader: LongReads,
): VersionStore {
  return {
    add: (version, filter) => addVersion(database, queue, version, filter),
    isFreezing: async (since) => isFreezing(database, since),
    find: (projectId, number) =>
      database.get(
        `${withWork} WHERE ${live} AND versions.project_id = ? AND versions.number = ?`,
        [projectId, number],
        readVersion,
      ),
    candidates: (projectId, filter) => listCandidates(database, projectId, filter),
    get: (versionId) => database.get(`${withWork} WHERE versions.id = ?`, [versionId], readVersion),
    list: (projectId) =>
      database.all(
        `${withWork} WHERE ${live} AND versions.project_id = ? ORDER BY versions.number DESC`,
        [projectId],
        readVersion,
      ),
    diff: (workspaceId, fromId, toId, page) =>
      reader.read(workspaceId, { name: 'versionDiff', asked: [fromId, toId, page] }),
    trash: (versionId, now, deletedBy) =>
      database.transaction(async () => {
        const projectId = await database.get(
          `UPDATE versions SET deleted_at = ?, deleted_by = ? WHERE id = ? AND ${live}
           RETURNING project_id`,
          [now, deletedBy, versionId],
          (row) => row.text('project_id'),
        );
        if (projectId === undefined) return false;
        await cancelTrainingsOf(database, queue, projectId, versionId, now);
        await cancelVersions(database, queue, { versionId });
        return true;
      }),
    outlines: (versionId, chosen) => listOutlines(database, versionId, chosen),
    countSources: (versionId) => countSources(database, versionId),
    isMade: async (versionId) =>
      (await database.get(
        'SELECT 1 AS open FROM version_sources WHERE version_id = ? AND done = 0 LIMIT 1',
        [versionId],
        (row) => row.integer('open'),
      )) === undefined,
    keepParts: (versionId, parts, fenced) => keepParts(database, versionId, parts, fenced),
    part: (taskId) => findPart(database, taskId),
    unreadable: (versionId) => listUnreadable(database, versionId),
    sources: (versionId, ordinals) =>
      database.all(
        `SELECT * FROM version_sources WHERE version_id = ?
         AND ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY ordinal`,
        [versionId, JSON.stringify(ordinals)],
        readSource,
      ),
    addImages: async (versionId, sources, images, fenced) =>
      fenced(async () => {
        for (const image of images) addVersionImage(database, versionId, image);
        markDone(database, versionId, sources);
      }),
    images: (versionId, split) => listVersionImages(database, versionId, split),
    finish: async (versionId, fenced) => {
      const totals = await totalsOf(database, versionId);
      return fenced(() => finishVersion(database, versionId, totals));
    },
  };
}

async function countSources(database: AsyncDatabase, versionId: string): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM version_sources WHERE version_id = ?';
  return (await database.get(sql, [versionId], (row) => row.integer('n'))) ?? 0;
}

function listOutlines(
  database: AsyncDatabase,
  versionId: string,
  { isTrain, ordinals }: ChosenSources = {},
): AsyncIterable<readonly VersionOutline[]> {
  const ofSplit = isTrain ? "AND split = 'train'" : "AND split <> 'train'";
  const chosen =
    ordinals === undefined ? '' : 'AND ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?))';
  const given = ordinals === undefined ? [] : [JSON.stringify(ordinals)];
  return slicesOf(database, {
    sql: `SELECT ordinal, image_id, hash, split, width, height, done FROM version_sources
          WHERE version_id = ? AND ordinal > ? ${isTrain === undefined ? chosen : ofSplit}
          ORDER BY ordinal`,
    after: (last: VersionOutline | undefined) => [versionId, last?.ordinal ?? 0, ...given],
    read: readOutline,
  });
}

export function exportStore(database: AsyncDatabase, queue: TaskQueue): ExportStore {
  const find = (versionId: string, format: string) =>
    database.get(
      `SELECT exports.*, work.error, work.error_code FROM exports JOIN work ON work.id = exports.task_id
       WHERE version_id = ? AND format = ?`,
      [versionId, format],
      readExport,
    );
  return {
    ready: (versionId) =>
      database.all(
        'SELECT format FROM exports WHERE version_id = ? AND hash IS NOT NULL ORDER BY format',
        [versionId],
        (row) => row.text('format'),
      ),
    readyIn: async (projectId) => {
      const rows = await database.all(
        `SELECT version_id, format FROM exports JOIN versions ON versions.id = exports.version_id
         WHERE project_id = ? AND hash IS NOT NULL ORDER BY format`,
        [projectId],
        (row) => ({ versionId: row.text('version_id'), format: row.text('format') }),
      );
      const formats = Map.groupBy(rows, ({ versionId }) => versionId);
      return new Map([...formats].map(([id, ready]) => [id, ready.map(({ format }) => format)]));
    },
    ensure: (versionId, format, now) =>
      database.transaction(async () => {
        const known = await find(versionId, format);
        if (known?.error !== undefined)
          await database.run('DELETE FROM exports WHERE id = ?', [known.id]);
        if (known) return known;
        const started = {
          id: newId(),
          taskId: newId(),
          hash: undefined,
          bytes: 0,
          error: undefined,
          errorCode: undefined,
        };
        await database.run(
          `INSERT INTO exports (id, version_id, format, task_id, hash, bytes, created)
           VALUES (?, ?, ?, ?, NULL, 0, ?)`,
          [started.id, versionId, format, started.taskId, now],
        );
        const workspaceId = await workspaceOfVersion(database, versionId);
        const payload = { exportId: started.id, versionId, format, workspaceId };
        await queue.add({ id: started.taskId, kind: 'export', payload });
        return started;
      }),
    finish: async (exportId, hash, bytes, fenced) =>
      fenced(async () => {
        await database.run('UPDATE exports SET hash = ?, bytes = ? WHERE id = ?', [
          hash,
          bytes,
          exportId,
        ]);
      }),
  };
}

async function workspaceOfVersion(database: AsyncDatabase, versionId: string): Promise<string> {
  const workspaceId = await database.get(
    `SELECT workspace_id FROM projects
     WHERE id = (SELECT project_id FROM versions WHERE id = ?)`,
    [versionId],
    (row) => row.text('workspace_id'),
  );
  return workspaceId ?? '';
}

function addVersionImage(database: AsyncDatabase, versionId: string, image: VersionImage): void {
  const { ordinal, copy, name, hash, split, width, height, annotation } = image;
  database.send(
    `INSERT INTO version_images (version_id, ordinal, copy, name, hash, split, width, height,
       annotation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      versionId,
      ordinal,
      copy,
      name,
      hash,
      split,
      width,
      height,
      annotation === undefined ? null : JSON.stringify(annotation),
    ],
  );
}

/** A slice of them is in memory at a time. */
async function* listVersionImages(
  database: AsyncDatabase,
  versionId: string,
  split?: SplitName,
): AsyncGenerator<VersionImage> {
  const slices = slicesOf(database, {
    sql: `SELECT * FROM version_images WHERE version_id = :version
            AND (:split IS NULL OR split = :split) AND (ordinal, copy) > (:ordinal, :copy)
          ORDER BY ordinal, copy`,
    after: (last: VersionImage | undefined) => ({
      version: versionId,
      split,
      ordinal: last?.ordinal ?? 0,
      copy: last?.copy ?? 0,
    }),
    read: readVersionImage,
  });
  for await (const images of slices) yield* images;
}

function markDone(
  database: AsyncDatabase,
  versionId: string,
  sources: readonly { readonly ordinal: number }[],
): void {
  database.send(
    `UPDATE version_sources SET done = 1
     WHERE version_id = ? AND ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
    [versionId, JSON.stringify(sources.map(({ ordinal }) => ordinal))],
  );
}

/** What a version shows of its images. */
interface Totals {
  readonly images: number;
  readonly splits: ReadonlyMap<string, number>;
  readonly classes: ReadonlySet<string>;
}

async function totalsOf(database: AsyncDatabase, versionId: string): Promise<Totals> {
  const splits = new Map<string, number>();
  const classes = new Set<string>();
  let images = 0;
  const rows = {
    sql: `SELECT ordinal, copy, split, (SELECT json_group_array(DISTINCT name) FROM (
              SELECT value ->> 'label' AS name FROM json_each(annotation, '$.boxes')
              UNION SELECT value FROM json_each(annotation, '$.labels')) AS named) AS names
          FROM version_images WHERE version_id = ? AND (ordinal, copy) > (?, ?)
          ORDER BY ordinal, copy`,
    after: (last: ImageTotals | undefined) => [versionId, last?.ordinal ?? 0, last?.copy ?? 0],
    read: readImageTotals,
  };
  await readInSlices(database, rows, (some) => {
    images += some.length;
    for (const { split, names } of some) {
      splits.set(split, (splits.get(split) ?? 0) + 1);
      for (const name of names) classes.add(name);
    }
  });
  return { images, splits, classes };
}

interface ImageTotals {
  readonly ordinal: number;
  readonly copy: number;
  readonly split: string;
  readonly names: readonly string[];
}

function readImageTotals(row: Row): ImageTotals {
  return {
    ordinal: row.integer('ordinal'),
    copy: row.integer('copy'),
    split: row.text('split'),
    names: readTexts(row, 'names'),
  };
}

async function finishVersion(
  database: AsyncDatabase,
  versionId: string,
  { images, splits, classes }: Totals,
): Promise<{ readonly images: number }> {
  if (images === 0) return { images };
  await removeParts(database, versionId);
  const inOrder = [...classes].sort((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
  await database.run(
    'UPDATE versions SET ready = 1, images = ?, splits = ?, classes = ? WHERE id = ?',
    [
      images,
      JSON.stringify(splitCountsOf(Object.fromEntries(splits))),
      JSON.stringify(inOrder),
      versionId,
    ],
  );
  return { images };
}

function readVersion(row: Row): Version {
  return {
    id: row.text('id'),
    projectId: row.text('project_id'),
    number: row.integer('number'),
    name: row.text('name'),
    created: row.integer('created'),
    settings: check(versionSettings, row.json('settings')),
    state: stateOf(row),
    taskId: row.text('task_id'),
    progress: progressOf(row),
    waitsFor: readAwaitedService(row.optionalText('work_waits_for')),
    error: row.optionalText('work_error'),
    images: row.integer('images'),
    splits: readSplits(row),
    classes: readTexts(row, 'classes'),
  };
}

function stateOf(row: Row): VersionState {
  if (row.integer('ready') === 1) return 'ready';
  return row.text('work_status') === 'failed' ? 'failed' : 'generating';
}

function progressOf(row: Row): number {
  if (row.integer('ready') === 1) return 1;
  const total = row.optionalInteger('work_total') ?? 0;
  return total === 0 ? 0 : (row.optionalInteger('work_current') ?? 0) / total;
}

function listUnreadable(database: AsyncDatabase, versionId: string): Promise<readonly string[]> {
  return database.all(
    `SELECT s.name FROM versions v
       CROSS JOIN undescribed_images u ON u.project_id = v.project_id AND u.problem IS NOT NULL
       CROSS JOIN images i ON i.id = u.image_id
       CROSS JOIN version_sources s ON s.version_id = v.id AND s.hash = i.hash
     WHERE v.id = ? GROUP BY s.name ORDER BY min(s.ordinal)`,
    [versionId],
    (row) => row.text('name'),
  );
}

function readOutline(row: Row): VersionOutline {
  return {
    ordinal: row.integer('ordinal'),
    imageId: row.text('image_id'),
    hash: row.text('hash'),
    split: readSplit(row),
    width: row.integer('width'),
    height: row.integer('height'),
    isDone: row.integer('done') === 1,
  };
}

function readSource(row: Row): VersionSource {
  return {
    ordinal: row.integer('ordinal'),
    imageId: row.text('image_id'),
    name: row.text('name'),
    hash: row.text('hash'),
    format: readFormat(row),
    split: readSplit(row),
    width: row.integer('width'),
    height: row.integer('height'),
    annotation: readAnnotation(row),
    isDone: row.integer('done') === 1,
  };
}

function readVersionImage(row: Row): VersionImage {
  return {
    ordinal: row.integer('ordinal'),
    copy: row.integer('copy'),
    name: row.text('name'),
    hash: row.text('hash'),
    split: readSplit(row),
    width: row.integer('width'),
    height: row.integer('height'),
    annotation: readAnnotation(row),
  };
}

function readExport(row: Row): Export {
  return {
    id: row.text('id'),
    taskId: row.text('task_id'),
    hash: row.optionalText('hash'),
    bytes: row.integer('bytes'),
    error: row.optionalText('error'),
    errorCode: readErrorCode(row, 'error_code'),
  };
}
