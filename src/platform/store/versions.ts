// Frozen versions, their images and exports in SQLite.

import { check } from '../../contract/check.ts';
import { versionSettings } from '../../contract/version-settings.ts';
import type { Database, Row } from '../../storage/database.ts';
import { readErrorCode, type Work } from '../../storage/work.ts';
import { newId } from '../ids.ts';
import type { SourceOutline } from '../versions/batches.ts';
import type { Candidate } from '../versions/filters.ts';
import {
  readAnnotation,
  readFormat,
  readSplit,
  readSplits,
  readTexts,
  splitCountsOf,
} from './rows.ts';
import type {
  ChooseImages,
  Export,
  ExportStore,
  NewVersion,
  Version,
  VersionCandidate,
  VersionImage,
  VersionSource,
  VersionState,
  VersionStore,
} from './store.ts';
import { cancelTrainingsOf } from './trainings.ts';

const withWork = `SELECT versions.*, work.status AS work_status, work.error AS work_error,
  work.current AS work_current, work.total AS work_total
  FROM versions JOIN work ON work.id = versions.task_id`;
const live = 'versions.deleted_at IS NULL';

export function versionStore(database: Database, work: Work): VersionStore {
  return {
    add: async (version, choose) =>
      database.transaction(() => addVersion(database, work, version, choose)),
    find: async (projectId, number) =>
      database.get(
        `${withWork} WHERE ${live} AND versions.project_id = ? AND versions.number = ?`,
        [projectId, number],
        readVersion,
      ),
    candidates: async (projectId) => candidates(database, projectId),
    get: async (versionId) =>
      database.get(`${withWork} WHERE versions.id = ?`, [versionId], readVersion),
    list: async (projectId) =>
      database.all(
        `${withWork} WHERE ${live} AND versions.project_id = ? ORDER BY versions.number DESC`,
        [projectId],
        readVersion,
      ),
    trash: async (versionId, now, deletedBy) =>
      database.transaction(() => {
        const projectId = database.get(
          `UPDATE versions SET deleted_at = ?, deleted_by = ? WHERE id = ? AND ${live}
           RETURNING project_id`,
          [now, deletedBy, versionId],
          (row) => row.text('project_id'),
        );
        if (projectId === undefined) return false;
        cancelTrainingsOf(database, work, projectId, versionId, now);
        return true;
      }),
    outlines: async (versionId) =>
      database.all(
        `SELECT ordinal, hash, split, width, height, done FROM version_sources
         WHERE version_id = ? ORDER BY ordinal`,
        [versionId],
        readOutline,
      ),
    sources: async (versionId, ordinals) =>
      database.all(
        `SELECT * FROM version_sources WHERE version_id = ?
         AND ordinal IN (SELECT value FROM json_each(?)) ORDER BY ordinal`,
        [versionId, JSON.stringify(ordinals)],
        readSource,
      ),
    addImages: async (versionId, sources, images, guard) =>
      guard(() => {
        for (const image of images) addVersionImage(database, versionId, image);
        for (const { ordinal } of sources) markDone(database, versionId, ordinal);
      }),
    images: async (versionId) =>
      database.all(
        'SELECT * FROM version_images WHERE version_id = ? ORDER BY ordinal, copy',
        [versionId],
        readVersionImage,
      ),
    finish: async (versionId, guard) => guard(() => finishVersion(database, versionId)),
  };
}

export function exportStore(database: Database, work: Work): ExportStore {
  const find = (versionId: string, format: string) =>
    database.get(
      `SELECT exports.*, work.error, work.error_code FROM exports JOIN work ON work.id = exports.task_id
       WHERE version_id = ? AND format = ?`,
      [versionId, format],
      readExport,
    );
  return {
    ready: async (versionId) =>
      database.all(
        'SELECT format FROM exports WHERE version_id = ? AND hash IS NOT NULL ORDER BY format',
        [versionId],
        (row) => row.text('format'),
      ),
    ensure: async (versionId, format, now) =>
      database.transaction(() => {
        const known = find(versionId, format);
        if (known?.error !== undefined)
          database.run('DELETE FROM exports WHERE id = ?', [known.id]);
        if (known) return known;
        const started = {
          id: newId(),
          taskId: newId(),
          hash: undefined,
          bytes: 0,
          error: undefined,
          errorCode: undefined,
        };
        database.run(
          `INSERT INTO exports (id, version_id, format, task_id, hash, bytes, created)
           VALUES (?, ?, ?, ?, NULL, 0, ?)`,
          [started.id, versionId, format, started.taskId, now],
        );
        const workspaceId = workspaceOfVersion(database, versionId);
        const payload = { exportId: started.id, versionId, format, workspaceId };
        work.add({ id: started.taskId, kind: 'export', payload });
        return started;
      }),
    finish: async (exportId, hash, bytes, guard) =>
      guard(() => {
        database.run('UPDATE exports SET hash = ?, bytes = ? WHERE id = ?', [
          hash,
          bytes,
          exportId,
        ]);
      }),
  };
}

function addVersion(
  database: Database,
  work: Work,
  version: NewVersion,
  choose: ChooseImages,
): Version | undefined {
  const { id, projectId, settings, taskId, created } = version;
  const chosen = choose?.(candidates(database, projectId));
  if (chosen ? chosen.length === 0 : !hasImages(database, projectId)) return undefined;
  const number =
    database.get(
      'SELECT coalesce(max(number), 0) + 1 AS number FROM versions WHERE project_id = ?',
      [projectId],
      (row) => row.integer('number'),
    ) ?? 1;
  const name = version.name ?? `Version ${number}`;
  database.run(
    `INSERT INTO versions (id, project_id, number, name, settings, task_id, ready, images, splits,
       classes, created) VALUES (?, ?, ?, ?, ?, ?, 0, 0, '{}', '[]', ?)`,
    [id, projectId, number, name, JSON.stringify(settings), taskId, created],
  );
  freezeImages(database, id, projectId, chosen);
  const workspaceId = workspaceOfVersion(database, id);
  work.add({ id: taskId, kind: 'version', payload: { versionId: id, workspaceId } });
  return {
    ...{ id, projectId, number, name, created, settings, taskId },
    ...{ state: 'generating', progress: 0, error: undefined, images: 0, classes: [] },
    splits: splitCountsOf({}),
  };
}

function hasImages(database: Database, projectId: string): boolean {
  const sql = 'SELECT 1 AS n FROM images WHERE project_id = ? LIMIT 1';
  return database.get(sql, [projectId], (row) => row.integer('n')) !== undefined;
}

/** Those that were chosen; undefined: all of the project, which nobody has to list for that. */
function freezeImages(
  database: Database,
  versionId: string,
  projectId: string,
  chosen: readonly Candidate[] | undefined,
): void {
  const wanted = chosen ? 'id IN (SELECT value FROM json_each(:wanted))' : 'project_id = :wanted';
  database.run(
    `INSERT INTO version_sources (version_id, ordinal, image_id, name, hash, format, split, width,
       height, annotation, done)
     SELECT :version, row_number() OVER (ORDER BY created, id), id, name, hash, format, split, width,
       height, annotation, 0 FROM images WHERE ${wanted}`,
    {
      version: versionId,
      wanted: chosen ? JSON.stringify(chosen.map((image) => image.id)) : projectId,
    },
  );
}

function candidates(database: Database, projectId: string): readonly VersionCandidate[] {
  return database.all(
    `SELECT id, hash, split, objects, (SELECT json_group_array(tag) FROM image_tags
       WHERE image_id = images.id) AS tags
     FROM images WHERE project_id = ? ORDER BY created, id`,
    [projectId],
    (row) => ({
      id: row.text('id'),
      hash: row.text('hash'),
      split: readSplit(row),
      tags: readTexts(row, 'tags'),
      annotation: annotationState(row.optionalInteger('objects')),
    }),
  );
}

function annotationState(objects: number | undefined): Candidate['annotation'] {
  if (objects === undefined) return 'none';
  return objects === 0 ? 'empty' : 'labelled';
}

function workspaceOfVersion(database: Database, versionId: string): string {
  const workspaceId = database.get(
    `SELECT workspace_id FROM projects
     WHERE id = (SELECT project_id FROM versions WHERE id = ?)`,
    [versionId],
    (row) => row.text('workspace_id'),
  );
  return workspaceId ?? '';
}

function addVersionImage(database: Database, versionId: string, image: VersionImage): void {
  const { ordinal, copy, name, hash, split, width, height, annotation } = image;
  database.run(
    `INSERT INTO version_images (version_id, ordinal, copy, name, hash, split, width, height,
       annotation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[versionId, ordinal, copy, name, hash, split, width, height],
      annotation === undefined ? null : JSON.stringify(annotation),
    ],
  );
}

function markDone(database: Database, versionId: string, ordinal: number): void {
  const sql = 'UPDATE version_sources SET done = 1 WHERE version_id = ? AND ordinal = ?';
  database.run(sql, [versionId, ordinal]);
}

function finishVersion(database: Database, versionId: string): { readonly images: number } {
  const splits = database.all(
    'SELECT split, count(*) AS n FROM version_images WHERE version_id = ? GROUP BY split',
    [versionId],
    (row): [string, number] => [row.text('split'), row.integer('n')],
  );
  const images = splits.reduce((sum, [, n]) => sum + n, 0);
  if (images === 0) return { images };
  const classes = database.all(
    `SELECT value ->> 'label' AS name FROM version_images, json_each(annotation, '$.boxes')
     WHERE version_id = ?
     UNION SELECT value FROM version_images, json_each(annotation, '$.labels')
     WHERE version_id = ? ORDER BY name`,
    [versionId, versionId],
    (row) => row.text('name'),
  );
  database.run('UPDATE versions SET ready = 1, images = ?, splits = ?, classes = ? WHERE id = ?', [
    images,
    JSON.stringify(splitCountsOf(Object.fromEntries(splits))),
    JSON.stringify(classes),
    versionId,
  ]);
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

function readOutline(row: Row): SourceOutline {
  return {
    ordinal: row.integer('ordinal'),
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
