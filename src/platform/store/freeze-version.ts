// Freezes the images of a project into a new version, in short transactions.

import { FoveaError } from '../../errors.ts';
import type { Database, Row, Snapshot } from '../../storage/database.ts';
import { allInTurns, inTurns } from '../../storage/in-turns.ts';
import type { Work } from '../../storage/work.ts';
import type { Candidate } from '../versions/filters.ts';
import { readSplit, readTexts, splitCountsOf } from './rows.ts';
import type { ChooseImages, NewVersion, Version, VersionCandidate } from './store.ts';

/**
 * Adds a version of the images as they are now, those that `choose` keeps, and the work that makes
 * it. Undefined where none is left. What others write meanwhile is not in it. Nobody sees the
 * version before all of it is there; one that a crash left half-made goes with the next purge.
 * Throws `conflict` where that happened meanwhile.
 */
export async function addVersion(
  database: Database,
  work: Work,
  version: NewVersion,
  choose: ChooseImages,
): Promise<Version | undefined> {
  const snapshot = database.snapshot();
  try {
    const chosen = choose && idsOf(choose(await listCandidates(snapshot, version.projectId)));
    if (chosen ? chosen.size === 0 : !hasImages(snapshot, version.projectId)) return undefined;
    const outline = database.transaction(() => addOutline(database, version));
    const sources = await freezeImages(database, snapshot, version, chosen);
    database.transaction(() => publish(database, work, version, sources));
    return {
      ...outline,
      ...{ state: 'generating', progress: 0, error: undefined, images: 0, classes: [] },
      splits: splitCountsOf({}),
    };
  } finally {
    snapshot.close();
  }
}

/** All images of a project, in their order. */
export function listCandidates(
  database: Pick<Database, 'each'>,
  projectId: string,
): Promise<readonly VersionCandidate[]> {
  return allInTurns(database, {
    sql: `SELECT id, created, hash, split, objects,
            (SELECT json_group_array(tag) FROM image_tags WHERE image_id = images.id) AS tags
          FROM images WHERE project_id = ? AND (created, id) > (?, ?) ORDER BY created, id`,
    after: (last) => [projectId, last?.created ?? -1, last?.id ?? ''],
    read: (row) => ({
      id: row.text('id'),
      created: row.integer('created'),
      hash: row.text('hash'),
      split: readSplit(row),
      tags: readTexts(row, 'tags'),
      annotation: annotationState(row.optionalInteger('objects')),
    }),
  });
}

function annotationState(objects: number | undefined): Candidate['annotation'] {
  if (objects === undefined) return 'none';
  return objects === 0 ? 'empty' : 'labelled';
}

function idsOf(images: readonly Candidate[]): ReadonlySet<string> {
  return new Set(images.map(({ id }) => id));
}

function hasImages(database: Snapshot, projectId: string): boolean {
  const sql = 'SELECT 1 AS n FROM images WHERE project_id = ? LIMIT 1';
  return database.get(sql, [projectId], (row) => row.integer('n')) !== undefined;
}

/** The row of the version, purged already as far as others see. */
function addOutline(database: Database, version: NewVersion) {
  const { id, projectId, settings, taskId, created } = version;
  const number =
    database.get(
      'SELECT coalesce(max(number), 0) + 1 AS number FROM versions WHERE project_id = ?',
      [projectId],
      (row) => row.integer('number'),
    ) ?? 1;
  const name = version.name ?? `Version ${number}`;
  database.run(
    `INSERT INTO versions (id, project_id, number, name, settings, task_id, ready, images, splits,
       classes, created, deleted_at) VALUES (?, ?, ?, ?, ?, ?, 0, 0, '{}', '[]', ?, 0)`,
    [id, projectId, number, name, JSON.stringify(settings), taskId, created],
  );
  return { id, projectId, number, name, created, settings, taskId };
}

/** Says how many. `chosen`: their ids; undefined: all. */
async function freezeImages(
  database: Database,
  snapshot: Snapshot,
  { id, projectId }: NewVersion,
  chosen: ReadonlySet<string> | undefined,
): Promise<number> {
  let ordinal = 0;
  const images = {
    sql: `SELECT id, created, name, hash, format, split, width, height, annotation FROM images
          WHERE project_id = ? AND (created, id) > (?, ?) ORDER BY created, id`,
    after: (last: ImageRow | undefined) => [projectId, last?.created ?? -1, last?.id ?? ''],
    read: readImage,
  };
  await inTurns(snapshot, images, (rows) =>
    database.transaction(() => {
      for (const row of rows) {
        if (chosen && !chosen.has(row.id)) continue;
        ordinal += 1;
        addSource(database, id, ordinal, row);
      }
    }),
  );
  return ordinal;
}

/** A row as it is stored: nothing is read out of it on the way. */
interface ImageRow {
  readonly id: string;
  readonly created: number;
  readonly values: readonly (string | number | undefined)[];
}

function readImage(row: Row): ImageRow {
  const id = row.text('id');
  const texts = ['name', 'hash', 'format', 'split'].map((column) => row.text(column));
  const size = [row.integer('width'), row.integer('height')];
  const values = [id, ...texts, ...size, row.optionalText('annotation')];
  return { id, created: row.integer('created'), values };
}

function addSource(database: Database, versionId: string, ordinal: number, image: ImageRow): void {
  database.run(
    `INSERT INTO version_sources (version_id, ordinal, image_id, name, hash, format, split, width,
       height, annotation, done) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    [versionId, ordinal, ...image.values],
  );
}

function publish(
  database: Database,
  work: Work,
  { id, projectId, taskId }: NewVersion,
  sources: number,
): void {
  const published = database.run(
    `UPDATE versions SET deleted_at = NULL WHERE id = ? AND deleted_at = 0
       AND (SELECT count(*) FROM version_sources WHERE version_id = versions.id) = ?`,
    [id, sources],
  );
  if (published === 0) {
    const message = 'The version was removed while it was made: nothing of it is left.';
    throw new FoveaError('conflict', message, { retry: 'safe' });
  }
  const workspaceId = database.get(
    'SELECT workspace_id FROM projects WHERE id = ?',
    [projectId],
    (row) => row.text('workspace_id'),
  );
  work.add({ id: taskId, kind: 'version', payload: { versionId: id, workspaceId } });
}
